"""Draws what `tmux capture-pane -e -p` gave as a picture: text, colours, bold and dim; nothing is made up."""
import re
import sys
from PIL import Image, ImageDraw, ImageFont

FONTS = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono"
SIZE, PAD = 18, 14
GROUND, INK = (22, 24, 28), (214, 216, 220)
ANSI = [(40, 42, 48), (224, 108, 117), (152, 195, 121), (229, 192, 123), (97, 175, 239), (198, 120, 221), (86, 182, 194), (220, 223, 228)]
BRIGHT = [(110, 115, 125), (240, 130, 138), (170, 215, 140), (240, 208, 145), (125, 195, 250), (215, 145, 235), (110, 205, 215), (245, 246, 248)]


def of_256(n):
    if n < 16:
        return (ANSI + BRIGHT)[n]
    if n >= 232:
        return (8 + 10 * (n - 232),) * 3
    n, steps = n - 16, [0, 95, 135, 175, 215, 255]
    return steps[n // 36], steps[n // 6 % 6], steps[n % 6]


def colour(codes):
    kind = codes.pop(0)
    if kind == 5:
        return of_256(codes.pop(0))
    return codes.pop(0), codes.pop(0), codes.pop(0)


def paint(style, codes):
    while codes:
        code = codes.pop(0)
        if code == 0:
            style.clear()
        elif code in (1, 2, 7):
            style[{1: "bold", 2: "dim", 7: "swap"}[code]] = True
        elif code == 22:
            style.pop("bold", None), style.pop("dim", None)
        elif code == 27:
            style.pop("swap", None)
        elif code in (38, 48):
            style["ink" if code == 38 else "ground"] = colour(codes)
        elif code in (39, 49):
            style.pop("ink" if code == 39 else "ground", None)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style["ink"] = (ANSI if code < 90 else BRIGHT)[code % 10]
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style["ground"] = (ANSI if code < 100 else BRIGHT)[code % 10]


def cells(line, style):
    for piece in re.split(r"(\x1b\[[0-9;:]*m)", line):
        if piece.startswith("\x1b"):
            paint(style, [int(code or 0) for code in re.split("[;:]", piece[2:-1])])
        else:
            for char in piece:
                yield char, dict(style)


def main(width, height, to):
    fonts = {bold: ImageFont.truetype(FONTS + ("-Bold" if bold else "") + ".ttf", SIZE) for bold in (False, True)}
    other = ImageFont.truetype(FONTS.removesuffix("Mono") + ".ttf", SIZE - 4)  # dingbats
    wide, high = round(fonts[False].getlength("M")), SIZE + 6
    image = Image.new("RGB", (width * wide + 2 * PAD, height * high + 2 * PAD), GROUND)
    draw = ImageDraw.Draw(image)
    style = {}
    for row, line in enumerate(sys.stdin.read().split("\n")[:height]):
        for column, (char, look) in enumerate(cells(line, style)):
            ink, ground = look.get("ink", INK), look.get("ground", GROUND)
            if look.get("swap"):
                ink, ground = ground, ink
            if look.get("dim"):
                ink = tuple((a + b) // 2 for a, b in zip(ink, ground))
            x, y = PAD + column * wide, PAD + row * high
            if ground != GROUND:
                draw.rectangle((x, y, x + wide - 1, y + high - 1), fill=ground)
            if char == "⏸":  # in no font of DejaVu's
                for bar in (x + 2, x + 7):
                    draw.rectangle((bar, y + 6, bar + 2, y + high - 8), fill=ink)
            else:
                font = other if "\u2700" <= char <= "\u28ff" and char not in "✓✗" else fonts[bool(look.get("bold"))]
                draw.text((x, y + 2), char, font=font, fill=ink)
    image.save(to, optimize=True)


main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
