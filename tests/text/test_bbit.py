"""The b-bit sketch: its estimates, its error, and its bytes, which files depend on."""

import numpy as np

from simdup.text.families import SKETCH_BYTES, agreeing, bbit_estimate, bbit_sketch


def test_the_sketch_estimates_similarity_within_its_stated_error() -> None:
    rng = np.random.default_rng(11)
    for size, similarity in (
        (60, 0.5),
        (500, 0.0),
        (500, 1.0),
        (400, 0.8),
        (400, 0.9),
        (3000, 0.8),
    ):
        errors = []
        for _ in range(150):
            common = round(size * similarity)
            own = (size - common) // 2
            every = rng.integers(0, 1 << 64, size, dtype=np.uint64)
            a, b = every[: common + own], np.concatenate([every[:common], every[common + own :]])
            found = float(bbit_estimate(bbit_sketch(a), bbit_sketch(b)))
            errors.append(found - common / size)
        p = agreeing(similarity)
        stated = (p * (1 - p) / SKETCH_BYTES) ** 0.5 / (1 - 1 / 256)
        # Cut off at 0, the estimate for disjoint sets averages above 0, by less than the error.
        room = stated if similarity == 0 else 0.002
        assert abs(np.mean(errors)) < 4 * stated / 150**0.5 + room
        assert np.std(errors) < 1.3 * stated + 1e-12
        assert np.std(errors) > 0.75 * stated or similarity in (0, 1)


def test_the_sketch_does_not_depend_on_chunks_or_order() -> None:
    every = np.random.default_rng(2).integers(0, 1 << 64, 2000, dtype=np.uint64)
    whole = bbit_sketch(every)
    assert (bbit_sketch(every[::-1]) == whole).all()
    # Sketches are stored in files, so they must never change.
    few = bbit_sketch(np.arange(5, dtype=np.uint64))
    assert few.tobytes().hex().startswith("2a34cd3d9eae0472564dfab1c186eded")


def test_many_sketches_are_compared_at_once() -> None:
    sets = [np.array(one, np.uint64) for one in ([1, 2, 3], [1, 2, 3], [7, 8, 9])]
    sketches = np.stack([bbit_sketch(one) for one in sets])
    assert (sketches.dtype, sketches.shape) == (np.uint8, (3, 128))
    found = bbit_estimate(sketches[:1], sketches)
    assert found.tolist()[:2] == [1, 1]
    assert found[2] < 0.05
