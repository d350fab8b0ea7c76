"""Measure the search over fingerprints: one command, one table.

    python -m benchmarks.search                     # 10**5, 10**6, 10**7; about two minutes
    python -m benchmarks.search --size 1e8          # 4 GB of memory; four minutes more
    python -m benchmarks.search --only pairs queries

Fingerprints are random, one in ten planted within distance 3 of another. Ratios are taken within
one run: to the floor, which is what the sorting of as many tables costs on all cores, or to the
peer in the same line. Memory is the growth of a process of its own above input and output. A
figure that has no column here was not measured.

Which instructions numpy sorts with matters more than anything else: with
NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL" processors that are slow at AVX-512's compressing
stores (AMD's Zen 4) sort five times faster. The first line says what this run had.
"""

import argparse
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from simdup.search import HammingBall, all_pairs, build, explain, iter_pairs, plan, query
from simdup.search.arrays import WORD
from simdup.search.bitview import BitView
from simdup.search.compressed import compress_table
from simdup.search.pieces import Pieces
from simdup.search.tables import build_table, table_keys
from simdup.search.threads import count_threads

PARTS = ("pairs", "memory", "family", "queries", "compressed", "tradeoff", "peers")
CORES = count_threads(None)
BALL = HammingBall(64, 3)


def planted(n: int, seed: int = 1) -> np.ndarray:
    """n random fingerprints, one in ten of them within distance 3 of another."""
    random = np.random.default_rng(seed)
    f = random.integers(0, 1 << 64, n, dtype=np.uint64)
    many = n // 10
    to = random.permutation(n)[:many]
    f[to] = flipped(f[random.integers(0, n, many)], random.integers(0, 4, many), random)
    return f


def flipped(f: np.ndarray, times: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The same with up to so many bits of each flipped."""
    for round_ in range(int(times.max(initial=0))):
        bit = np.uint64(1) << random.integers(0, 64, len(f)).astype(np.uint64)
        f = np.where(times > round_, f ^ bit, f)
    return f


def seconds(call: Callable[[], Any], times: int = 3) -> float:
    """The least time of a few: what others do on the machine can only add."""
    return min(_once(call) for _ in range(times))


def _once(call: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def floor(n: int, times: int = 3) -> float:
    """T(n, 1): seconds of one in-place sort, divided by the cores, measured on all of them."""
    random = np.random.default_rng(9)
    given = [random.integers(0, 1 << 64, n, dtype=np.uint64) for _ in range(CORES)]

    def once() -> float:
        copies = [one.copy() for one in given]
        with ThreadPoolExecutor(CORES) as pool:
            return _once(lambda: list(pool.map(lambda one: one.sort(), copies)))

    return min(once() for _ in range(times)) / CORES


def show(measure: str, figure: str, reach: str = "") -> None:
    print(f"{measure:<58} {figure:>26}   {reach}", flush=True)


def pairs(sizes: list[int]) -> None:
    last: tuple[int, float] | None = None
    for n in sizes:
        f, times = planted(n), 5 if n <= 10**6 else 3 if n <= 10**7 else 1
        each = floor(n, times)
        show(f"T({n:.0e}, 1)", f"{each:.4f} s")
        took = 0.0
        for shape, reach in ((20 if n >= 10**8 else 10, 3.5 if n >= 10**8 else 4), ("auto", 0)):
            count = max(plan(BALL, n, shape).tables, 1)
            took = seconds(lambda f=f, shape=shape: all_pairs(f, tables=shape), times)
            show(
                f"all_pairs {n:.0e}, {shape} ({count} tables)",
                f"{took:.3f} s = {took / (count * each):.2f} T(n, {count})",
                f"at most {reach} T" if reach else "",
            )
        if last:
            show(
                f"growth from {last[0]:.0e} to {n:.0e}, auto",
                f"{took / last[1]:.1f} times",
                "at most 25 for 10 times",
            )
        last = n, took


def memory(sizes: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for n in sizes:
            file = os.path.join(folder, "fingerprints.npy")
            np.save(file, planted(n))
            shape = "20" if n >= 10**8 else "10"
            said = _child("memory", file, shape)
            show(
                f"memory of all_pairs {n:.0e}, {shape} tables, beside both ends",
                f"{float(said) / n:.1f} bytes each",
                "at most 40",
            )


def memory_child(file: str, shape: str) -> None:
    f = np.load(file)
    # The modules, a thread's stack and the like are no part of what grows with n.
    all_pairs(planted(1000), tables=10)
    before = peak()
    found = all_pairs(f, tables=int(shape))
    print(peak() - before - sum(part.nbytes for part in found))


def peak() -> int:
    """The most bytes this process has held. Linux hands `ru_maxrss` down from the parent."""
    try:
        with open("/proc/self/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def family(_: list[int]) -> None:
    n, centres = 10**6, 1000
    random = np.random.default_rng(3)
    centre = random.integers(0, 1 << 64, centres, dtype=np.uint64)
    for name, times in (("8 bits", np.full(n, 8)), ("0 to 8 bits", random.integers(0, 9, n))):
        f = flipped(centre[random.integers(0, centres, n)], times, random)
        rows = random.integers(0, n, 50)
        wanted = [np.flatnonzero(np.bitwise_count(f ^ f[row]) <= 3) for row in rows]
        seen = [[np.array([row])] for row in rows]
        total, begun, checking = 0, time.perf_counter(), 0.0
        for block in iter_pairs(f):
            total += len(block.i)
            paused = time.perf_counter()
            for row, mine in zip(rows, seen, strict=True):
                mine += [block.j[block.i == row], block.i[block.j == row]]
            checking += time.perf_counter() - paused
        took = time.perf_counter() - begun - checking
        right = all(
            np.array_equal(np.sort(np.concatenate(mine)), near)
            for mine, near in zip(seen, wanted, strict=True)
        )
        show(
            f"10**6 within {name} of 1,000 centres, {total:,} pairs",
            f"{took:.1f} s, {'complete' if right else 'INCOMPLETE'}",
            "under 20 s",
        )


def asked(f: np.ndarray, many: int) -> np.ndarray:
    """Queries: half of them near a fingerprint, half random."""
    random = np.random.default_rng(5)
    near = flipped(f[random.integers(0, len(f), many)], random.integers(0, 4, many), random)
    near[many // 2 :] = random.integers(0, 1 << 64, many - many // 2, dtype=np.uint64)
    return near


def queries(_: list[int]) -> None:
    f = planted(10**6)
    g = asked(f, 10**5)
    index = build(f)
    found = query(index, g)
    took = seconds(lambda: query(index, g), 5)
    show(f"10**5 queries against 10**6, {index.plan.tables} tables", f"{took:.3f} s")
    one = seconds(lambda: [query(index, g[at : at + 1]) for at in range(100)]) / 100
    show("one query", f"{one * 1e3:.2f} ms")
    try:
        import faiss
    except ImportError:
        show("faiss IndexBinaryMultiHash(64, 4, 16)", "not installed", "faster than faiss")
        return
    faiss.omp_set_num_threads(2)
    theirs = faiss.IndexBinaryMultiHash(64, 4, 16)
    theirs.add(f.view(np.uint8).reshape(-1, 8))
    asking = g.view(np.uint8).reshape(-1, 8)
    limits = theirs.range_search(asking, 4)[0]
    other = seconds(lambda: theirs.range_search(asking, 4))
    same = "equal recall" if limits[-1] == len(found.row) else f"{limits[-1]} of {len(found.row)}"
    show(
        "faiss IndexBinaryMultiHash(64, 4, 16), 2 threads, " + same,
        f"{other:.3f} s, we {other / took:.1f} x",
        "faster than faiss",
    )
    alone = seconds(lambda: [theirs.range_search(asking[at : at + 1], 4) for at in range(100)])
    show("faiss, one query", f"{alone * 10:.3f} ms")


def compressed(sizes: list[int]) -> None:
    n = min(10**7, max(sizes))
    f = np.random.default_rng(6).integers(0, 1 << 64, n, dtype=np.uint64)
    g = asked(f, 10**5)
    plain = np.sort(f)
    bound = 64 - math.log2(n) + 1 / math.log(2)
    bits = 8 * compress_table(plain).nbytes / n
    show(
        f"compressed, {n:.0e} sorted fingerprints: bits each",
        f"{bits:.2f}, bound {bound:.2f}, +{100 * (bits / bound - 1):.2f} %",
        "within 2 %",
    )
    indexes = [build(f, compress=small, tables=10) for small in (False, True)]
    show(
        "index of 10 tables with row numbers, plain and compressed",
        " ".join(f"{one.nbytes / n:.1f}" for one in indexes) + " bytes each",
    )
    for many in (10**5, 10**4, 10**3, 1):
        took = [seconds(lambda one=one, q=many: query(one, g[:q])) for one in indexes]
        show(
            f"{many} queries, plain and compressed",
            f"{took[0] * 1e3:.1f} {took[1] * 1e3:.1f} ms, {took[1] / took[0]:.1f} x",
            "at most 5 x",
        )


def tradeoff(sizes: list[int]) -> None:
    n = min(10**6, max(sizes))
    f = planted(n)
    g = asked(f, 10**5)
    print(f"\nThe paper's trade-off (WWW 2007, table 1), {n:,} fingerprints of 64 bits, distance 3")
    print(
        f"{'tables':>6} {'key bits':>9} {'candidates a query':>22} {'bytes':>7} "
        f"{'10**5 queries':>14} {'all pairs':>10}"
    )
    print(f"{'':>6} {'':>9} {'expected':>11} {'seen':>10} {'each':>7} {'s':>14} {'s':>10}")
    for shape in (4, 10, 16, 20):
        chosen = plan(BALL, n, shape)
        index = build(f, tables=shape)
        expected = sum(n / 2.0**key for key in chosen.key_bits)
        views = [BitView.of_all_bits(part, 64) for part in (f, g[50_000:])]
        keys = table_keys(chosen, views[0], 1 << 24)
        seen = sum(_met(*views, key) for key in keys) / 50_000
        low, high = min(chosen.key_bits), max(chosen.key_bits)
        took = seconds(lambda index=index: query(index, g))
        every = seconds(lambda shape=shape: all_pairs(f, tables=shape))
        key = f"{low}-{high}" if low < high else str(low)
        print(
            f"{shape:>6} {key:>9} {expected:>11.4f} "
            f"{seen:>10.4f} {index.nbytes / n:>7.1f} {took:>14.3f} {every:>10.3f}",
            flush=True,
        )
    print()
    print(explain(plan(BALL, n)))
    print()


def _met(f: BitView, g: BitView, key: Pieces) -> int:
    """How many fingerprints have the key of a query, over all queries."""
    table, asking = (
        build_table(view, key, np.empty(len(view), dtype=np.uint64)) for view in (f, g)
    )
    tail = np.uint64((1 << (WORD - sum(width for _, width in key))) - 1)
    begin = np.searchsorted(table, asking & ~tail)
    return int((np.searchsorted(table, asking | tail, side="right") - begin).sum())


def peers(_: list[int]) -> None:
    f = planted(10**6)
    ours = seconds(lambda: all_pairs(f))
    show("all_pairs 10**6", f"{ours:.3f} s")
    try:
        import faiss

        faiss.omp_set_num_threads(2)
        data = f.view(np.uint8).reshape(-1, 8)

        def theirs() -> None:
            index = faiss.IndexBinaryMultiHash(64, 4, 16)
            index.add(data)
            index.range_search(data, 4)

        took = seconds(theirs, 1)
        show("faiss IndexBinaryMultiHash, the same", f"{took:.2f} s, {took / ours:.0f} x")
    except ImportError:
        show("faiss", "not installed")
    few = planted(10**4)
    mine = seconds(lambda: all_pairs(few))
    try:
        import simhash

        def slow() -> None:
            named = [(str(row), simhash.Simhash(int(one))) for row, one in enumerate(few)]
            index = simhash.SimhashIndex(named, k=3)
            for _, one in named:
                index.get_near_dups(one)

        took = seconds(slow, 1)
        show("simhash SimhashIndex, all pairs of 10**4", f"{took:.2f} s, {took / mine:.0f} x")
    except ImportError:
        show("simhash", "not installed")
    try:
        import datasketch

        # It has no search by Hamming distance. Its table of bands, given the four blocks as a
        # signature of four values, proposes the same candidates; verifying is left out.
        def bands() -> None:
            index = datasketch.MinHashLSH(num_perm=4, params=(4, 1))
            blocks = few.view(np.uint16).reshape(-1, 4).astype(np.uint64)
            signs = [datasketch.MinHash(4, hashvalues=one, scheme="legacy") for one in blocks]
            for row, one in enumerate(signs):
                index.insert(row, one)
            for one in signs:
                index.query(one)

        took = seconds(bands, 1)
        show("datasketch MinHashLSH, candidates of 10**4", f"{took:.2f} s, {took / mine:.0f} x")
    except ImportError:
        show("datasketch", "not installed")
    print("Not run here; measured on this kind of machine, random fingerprints, distance 3:")
    show("  simhash-cpp 10**6, 4 blocks", "0.62 s")
    show("  hammingbird 10**6, 2 threads", "0.79 s, 432 MB")
    show("  simhash-cpp 10**7, 5 blocks", "22.4 s, 620 MB")
    show("  hammingbird 10**7", "out of memory at 24 GB")


def _child(*arguments: str) -> str:
    command = [sys.executable, "-m", "benchmarks.search", "--child", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _sizes(given: list[float]) -> Iterator[int]:
    for size in sorted(given):
        yield int(size)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the search over fingerprints.")
    parser.add_argument("--size", type=float, nargs="+", default=[1e5, 1e6, 1e7])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        memory_child(*options.child[1:])
        return
    off = os.environ.get("NPY_DISABLE_CPU_FEATURES", "none")
    print(f"numpy {np.__version__}, {CORES} cores, instructions switched off: {off}")
    sizes = list(_sizes(options.size))
    for part in PARTS:
        if part in options.only:
            globals()[part](sizes)


if __name__ == "__main__":
    main()
