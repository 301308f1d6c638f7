"""Write the icons of the installed client, from the shapes of web/src/mark.svg."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw

ICONS = Path(__file__).parents[1] / "web" / "public" / "icons"
#: Pixels, and the share of the width that the mark takes: a maskable icon may be cut to a circle of four fifths.
SIZES = {"192.png": (192, 0.8), "512.png": (512, 0.8), "maskable.png": (512, 0.56), "apple.png": (180, 0.72)}
PAPER, INK, NEEDLE = "#f5f7f4", "#14211d", "#00606c"
#: Lines of the mark (x, y, x, y) in a square of 32, each with its width and colour.
LINES = (
    *((x, 18, x, y, 2, INK) for x, y in ((1, 13), (8, 14), (15, 11), (22, 14), (29, 13))),
    (0, 18, 30, 18, 2, INK),
    (19, 18, 19, 1, 3.5, NEEDLE),
)
#: Drawn larger, then scaled down: Pillow's lines have no smooth edges.
OVER = 8


def icon(pixels: int, share: float) -> Image.Image:
    """Return a square icon."""
    size = pixels * OVER
    image = Image.new("RGB", (size, size), PAPER)
    draw = ImageDraw.Draw(image)
    scale = size * share / 30
    for x, y, to_x, to_y, width, colour in LINES:
        half = width / 2
        # The mark's middle is at (15, 9.5).
        left, right = sorted((x - 15, to_x - 15))
        top, bottom = sorted((y - 9.5, to_y - 9.5))
        across, down = (half, 0.0) if x == to_x else (0.0, half)
        corners = (left - across, top - down, right + across, bottom + down)
        draw.rectangle([size / 2 + corner * scale for corner in corners], fill=colour)
    return image.resize((pixels, pixels), Image.Resampling.LANCZOS)


def main() -> None:
    """Write them."""
    ICONS.mkdir(parents=True, exist_ok=True)
    for name, (pixels, share) in SIZES.items():
        icon(pixels, share).quantize(32).save(ICONS / name, optimize=True)
        print(ICONS / name)


if __name__ == "__main__":
    main()
