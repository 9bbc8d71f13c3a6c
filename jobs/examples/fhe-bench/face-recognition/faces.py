"""Faces as patches, for the client: images are found, aligned and cut. PATCHES (4) and PIXELS (32) say how many of which
side, as the network takes them. ALIGN says how a face is found: insightface (default), by the landmarks of its detector,
as the suite's reference does; centre: the square in the middle of an image, which has been aligned before. Needs numpy and
Pillow, and insightface, onnxruntime and OpenCV where that aligns."""
import io
import math
import os
import sys

import numpy as np

PATCHES = int(os.environ.get("PATCHES", "4"))
PIXELS = int(os.environ.get("PIXELS", "32"))
SIDES = math.isqrt(PATCHES)
ALIGNED = 112  # pixels of a face that InsightFace aligns, before it is made smaller


def cut(images, sides):
    """Patches [faces][patches, row by row][3][side][side] of images [faces][3][height][width]."""
    count, colours, height, width = images.shape
    parts = images.reshape(count, colours, sides, height // sides, sides, width // sides)
    return parts.transpose(0, 2, 4, 1, 3, 5).reshape(count, sides * sides, colours, height // sides, width // sides)


def decoded(data):
    """[height][width][3] of the bytes of a file of any usual format; ValueError: they are none."""
    from PIL import Image, UnidentifiedImageError
    try:
        return np.asarray(Image.open(io.BytesIO(bytes(data))).convert("RGB"))
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError, SyntaxError) as reason:
        raise ValueError("no image: %s" % reason) from None


def centre(pixels):
    """The square in the middle, as large as the network takes it."""
    from PIL import Image
    height, width = pixels.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = Image.fromarray(pixels[top:top + side, left:left + side])
    return np.asarray(square.resize((SIDES * PIXELS, SIDES * PIXELS), Image.Resampling.BILINEAR))


class Insight:
    """The detector and the alignment of InsightFace's models buffalo_l, as the suite's reference and its baseline call
    them."""

    def __init__(self):
        import cv2
        from insightface.app import FaceAnalysis
        from insightface.utils import face_align
        self.cv2, self.align = cv2, face_align.norm_crop
        self.detector = FaceAnalysis(name="buffalo_l", providers=["CPUExecutionProvider"])
        self.detector.prepare(ctx_id=-1, det_size=(640, 640))
        self.missed = 0

    def __call__(self, pixels):
        found = self.detector.get(np.ascontiguousarray(pixels[:, :, ::-1]))
        if not found:
            self.missed += 1
            return centre(pixels)
        side = SIDES * PIXELS
        face = self.align(np.ascontiguousarray(pixels[:, :, ::-1]), found[0].kps, image_size=max(side, ALIGNED))
        if face.shape[0] != side:
            face = self.cv2.resize(face, (side, side), interpolation=self.cv2.INTER_LINEAR)
        return face[:, :, ::-1]


def aligner():
    """Returns the function that makes a face of an image, by ALIGN; ends the program where that cannot be had."""
    how = os.environ.get("ALIGN", "insightface")
    if how == "centre":
        return centre
    if how != "insightface":
        sys.exit("ALIGN=%s: there are insightface, centre" % how)
    try:
        return Insight()
    except ImportError as reason:
        sys.exit("%s; InsightFace aligns faces, and ALIGN=centre takes images that are aligned" % reason)


def patches_of(images, align):
    """[images][patches][3][side][side] in -1 .. 1 of encoded images."""
    faces = np.stack([align(decoded(data)) for data in images]).transpose(0, 3, 1, 2)
    return cut(faces.astype(np.float64) / 127.5 - 1, SIDES)
