#!/usr/bin/env python3
"""The benchmarks' inputs, the same on every machine: make_inputs.py FOLDER KIND [MEGABYTES]

Writes FOLDER/input. KIND is text, json, yaml, xml, markdown or picture (a PPM). All is drawn from one
seed: words after Zipf's law, so that compressors and parsers meet what real data look like to them.
"""
import json
import os
import random
import sys

SEED = 20261128


def words(draw, count):
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    weights = [26 - i for i in range(26)]
    return ["".join(draw.choices(letters, weights, k=draw.randint(2, 10))) for _ in range(count)]


class Text:
    def __init__(self, draw):
        self.draw = draw
        self.words = words(draw, 6000)
        self.weights = [1 / (i + 3) for i in range(6000)]
        self.pool = []

    def word(self):
        if not self.pool:
            self.pool = self.draw.choices(self.words, self.weights, k=20000)
        return self.pool.pop()

    def sentence(self):
        parts = [self.word() for _ in range(self.draw.randint(4, 18))]
        if self.draw.random() < 0.2:
            parts[1] = str(self.draw.getrandbits(16))
        return parts[0].capitalize() + " " + " ".join(parts[1:]) + self.draw.choice(".,;:!?...")


def until(size, piece):
    made, length = [], 0
    while length < size:
        made.append(piece())
        length += len(made[-1])
    return "".join(made)


def record(text, draw, i):
    return {"id": i, "name": text.word() + " " + text.word(), "score": draw.getrandbits(30) / 1024,
            "active": bool(i & 1), "tags": [text.word() for _ in range(4)],
            "note": text.sentence() + '\n"quoted" \\ and more', "place": {"x": draw.randint(-9999, 9999), "y": None}}


def make(kind, size):
    draw = random.Random(SEED)
    text = Text(draw)
    numbers = iter(range(1 << 40))
    if kind == "text":
        return until(size, lambda: text.sentence() + ("\n\n" if draw.random() < 0.1 else " "))
    if kind == "json":
        return "[" + until(size, lambda: json.dumps(record(text, draw, next(numbers))) + ",") + "0]"
    if kind == "yaml":
        def item():
            one = record(text, draw, next(numbers))
            return (f"- id: {one['id']}\n  name: \"{one['name']}\"\n  score: {one['score']!r}\n"
                    f"  tags: [{', '.join(one['tags'])}]\n  place:\n    x: {one['place']['x']}\n"
                    f"    note: |\n      {one['name']}\n")
        return until(size, item)
    if kind == "xml":
        def element():
            one = record(text, draw, next(numbers))
            tags = "".join(f"<tag name='{tag}'/>" for tag in one["tags"])
            return (f'<entry id="{one["id"]}" active="{one["active"]}"><name>{one["name"]} &amp; more</name>'
                    f'<score>{one["score"]!r}</score>{tags}</entry>\n')
        return '<?xml version="1.0"?>\n<entries>\n' + until(size, element) + "</entries>\n"
    if kind == "markdown":
        def block():
            kind = draw.random()
            if kind < 0.1:
                return "#" * draw.randint(1, 4) + " " + text.sentence() + "\n\n"
            if kind < 0.25:
                return "".join(f"- {text.sentence()}\n" for _ in range(draw.randint(2, 6))) + "\n"
            if kind < 0.32:
                return f"```\n{text.sentence()}\n  {text.word()}();\n```\n\n"
            if kind < 0.4:
                return "> " + text.sentence() + "\n\n"
            return (f"{text.sentence()} *{text.word()}* and **{text.word()} {text.word()}**, `{text.word()}`, "
                    f"[{text.word()}](http://{text.word()}.example/{text.word()}). {text.sentence()}\n\n")
        return until(size, block)
    if kind == "picture":
        width, height = 1600, max(16, size // 4800)
        pixels = bytearray(b"P6\n%d %d\n255\n" % (width, height))
        for y in range(height):
            noise = draw.getrandbits(8 * width).to_bytes(width, "little")
            for x in range(width):
                grain = noise[x] & 15
                ring = ((x * x + y * y) >> 9) & 255
                edge = 96 if ((x >> 5) ^ (y >> 5)) & 1 else 0
                pixels += bytes(((ring + grain) & 255, (x * 255 // width + grain) & 255, (edge + y * 159 // height + grain) & 255))
        return bytes(pixels)
    sys.exit(f"make_inputs.py: KIND '{kind}' is not text, json, yaml, xml, markdown or picture")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    data = make(sys.argv[2], int(float(sys.argv[3] if len(sys.argv) == 4 else 1) * (1 << 20)))
    with open(os.path.join(sys.argv[1], "input"), "wb") as out:
        out.write(data if isinstance(data, bytes) else data.encode())
