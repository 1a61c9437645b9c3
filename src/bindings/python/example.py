"""Throughput against latency of one model on 4 and 8 GPUs, as a plot.

usage: example.py [PLOT.svg]
"""

import sys

import stepscope

WIDTH, HEIGHT, LEFT, BOTTOM = 640, 400, 60, 40
COLOURS = ("#1f77b4", "#d62728", "#2ca02c")

case = stepscope.open("deepseek-v3-h200-fp8-tp8")
batches = [f"{2 ** n}x4096" for n in range(9)]
rows = stepscope.sweep(case, batches, cudagraph_mode=["NONE", "PIECEWISE"], tp=[8])

curves = {}
for row in rows:
    if row["fits"]:
        point = (1e3 * row["seconds"], row["tokens_per_s"] / row["tp"])
        curves.setdefault(row["cudagraph_mode"], []).append(point)
for name, points in curves.items():
    print(f"{name:10}", "  ".join(f"{x:6.1f} ms {y:6.0f} tok/s/GPU" for x, y in points))

# With matplotlib this is pyplot.plot(); without, an SVG is soon written.
right = max(x for points in curves.values() for x, _ in points)
top = max(y for points in curves.values() for _, y in points)
lines = []
for colour, (name, points) in zip(COLOURS, curves.items()):
    path = " ".join(f"{LEFT + x / right * (WIDTH - LEFT - 20):.1f},"
                    f"{(HEIGHT - BOTTOM) * (1 - y / top) + 10 * y / top:.1f}" for x, y in points)
    lines.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{path}"/>')
    x, y = path.split()[-1].split(",")
    lines.append(f'<text x="{float(x) - 90}" y="{float(y) - 6}" fill="{colour}">{name}</text>')
svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
       f'font-size="13"><rect width="100%" height="100%" fill="white"/>{"".join(lines)}'
       f'<text x="{WIDTH / 2}" y="{HEIGHT - 10}">step, ms (to {right:.0f})</text>'
       f'<text x="8" y="20">tok/s/GPU (to {top:.0f})</text></svg>\n')
with open(sys.argv[1], "w") if len(sys.argv) > 1 else sys.stdout as out:
    out.write(svg)
