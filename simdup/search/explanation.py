"""Describe a plan in words."""

from collections.abc import Sequence

from simdup.search.plans import Plan, alternatives


def explain(chosen: Plan) -> str:
    """Describe in a few lines what a plan does, and its alternatives.

    Seconds are those of the cost model: one core, random fingerprints.
    """
    lines = [
        f"{chosen.n:,} fingerprints of {chosen.ball.bits} bits, distance {chosen.ball.distance}",
        f"search               {chosen.search}",
    ]
    if chosen.cut:
        sizes = chosen.cut.sizes
        lines += [
            f"blocks               {len(sizes)} ({', '.join(map(str, sizes))} bits)",
            f"tables               {chosen.tables}",
            f"key bits             {_format_range(chosen.key_bits)}",
        ]
    lines += [
        f"expected candidates  {chosen.candidates:,.0f}",
        f"memory               {_format_bytes(chosen.memory)} per thread, without input and output",
        f"model                {_format_seconds(chosen.seconds)} on one core",
    ]
    if chosen.search in ("tables", "exhaustive"):
        lines.append("compared with:")
        for other in alternatives(chosen.ball, chosen.n):
            name = f"{other.tables} tables" if other.tables else other.search
            key = f"keys of {_format_range(other.key_bits)} bits, " if other.tables else ""
            figures = f"{key}{other.candidates:,.0f} candidates, {_format_seconds(other.seconds)}"
            lines.append(f"  {name:<18} {figures}")
    return "\n".join(lines)


def _format_range(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def _format_seconds(seconds: float) -> str:
    # Nobody reads 4.16e-07 s.
    return f"{seconds:.3g} s" if seconds >= 0.001 else "under 1 ms"


def _format_bytes(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1000 and unit < 4:
        size, unit = size / 1000, unit + 1
    return f"{size:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB')[unit]}"
