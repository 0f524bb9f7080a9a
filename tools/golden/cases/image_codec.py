"""Picture files. Decoded JPEGs may differ by a level or two between versions of libjpeg; PNGs, BMPs and GIFs are exact."""

import base64
import struct
import zlib

import numpy as np
import tensorflow as tf

from golden import Case, i32, ints

# 8 x 6, four colours, with Adobe's marker; made with libjpeg-turbo 2.1.5.
CMYK = base64.b64decode("""/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwADAgIDAgIDAwMDBAMDBAUIBQUEBAUKBwcGCAwKDAwLCgsLDQ4SEA0OEQ4LCxAWEBETFBUV
FQwPFxgWFBgSFBUU/8AAFAgABgAIBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAcFCP/EACQQAAEDAwMFAQEAAAAA
AAAAAAECAwQFBhEABwghI0FC4SIx/9oADgRDAE0AWQBLAAA/AKG1vHCldnq149fmmDa3jhSuz1a8evzWkIG01uba2BcF31Ntb9Nt
+mSarKaiNhTy2mGlOrSgKKQVFKCACQM4yR/dJe/HIawOIFww7Wl2rU7nuyXTGKrDYZW1GgraXIcaKXJBKloUAy4rAZWD+BkZJT//
2Q==""")


def scalar(data):
    return np.array(data, dtype=object)


def picture(height, width, channels):
    """Smooth, as photographs are, so that JPEG keeps it."""
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    return (127 + 90 * np.sin(y * 0.5 + c) * np.cos(x * 0.4 - c * 0.7)).astype(np.uint8)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, rows, extra=b"", interlace=0):
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def interlaced(image):
    """Adam7 rows of an 8-bit grey image."""
    rows = b""
    for y, x, dy, dx in [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]:
        part = image[y::dy, x::dx]
        if part.size:
            rows += b"".join(b"\0" + row.tobytes() for row in part)
    return png(image.shape[1], image.shape[0], 8, 0, rows, interlace=1)


def bmp(image, top_down=False):
    height, width, channels = image.shape
    stride = (width * channels + 3) // 4 * 4
    swapped = image if channels == 1 else np.concatenate([image[..., 2::-1], image[..., 3:]], axis=2)
    rows = [row.tobytes().ljust(stride, b"\0") for row in (swapped if top_down else swapped[::-1])]
    data = b"".join(rows)
    info = struct.pack("<IiiHHIIiiII", 40, width, -height if top_down else height, 1, 8 * channels, 0, len(data), 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + len(data), 0, 0, 54) + info + data


def gif_codes(indices):
    """LZW without compression: nine-bit codes, cleared before they would grow."""
    codes = []
    for i, index in enumerate(indices):
        if i % 200 == 0:
            codes.append(256)
        codes.append(int(index))
    bits = sum(code << (9 * i) for i, code in enumerate(codes + [257]))
    data = bits.to_bytes((9 * (len(codes) + 1) + 7) // 8, "little")
    blocks = b"".join(bytes([len(data[i:i + 255])]) + data[i:i + 255] for i in range(0, len(data), 255))
    return b"\x08" + blocks + b"\0"


def gif(width, height, frames):
    """Frames are (left, top, indices [h, w], transparent index or None, interlaced)."""
    colours = bytes((i * k) % 256 for i in range(256) for k in (1, 3, 7))
    data = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + colours
    for left, top, cells, transparent, rows in frames:
        if transparent is not None:
            data += b"\x21\xf9\x04" + struct.pack("<BHB", 1, 5, transparent) + b"\0"
        order = cells
        if rows:
            order = np.concatenate([cells[first::step] for first, step in [(0, 8), (4, 8), (2, 4), (1, 2)]])
        data += b"," + struct.pack("<HHHHB", left, top, cells.shape[1], cells.shape[0], 0x40 if rows else 0)
        data += gif_codes(order.reshape(-1))
    return data + b";"


def jpegs():
    rgb, grey = picture(13, 18, 3), picture(9, 10, 1)
    plain = tf.io.encode_jpeg(rgb, quality=90).numpy()
    full = tf.io.encode_jpeg(rgb, quality=90, chroma_downsampling=False, progressive=True).numpy()
    one = tf.io.encode_jpeg(grey, quality=80).numpy()
    for data in [plain, full, one]:
        for channels in [0, 1, 3]:
            yield Case("DecodeJpeg", {"contents": scalar(data)}, tolerance=2, channels=channels)
    for ratio in [2, 4, 8]:
        yield Case("DecodeJpeg", {"contents": scalar(plain)}, tolerance=2, ratio=ratio)
    yield Case("DecodeJpeg", {"contents": scalar(plain)}, tolerance=2, fancy_upscaling=False)
    for method in ["INTEGER_FAST", "INTEGER_ACCURATE"]:
        yield Case("DecodeJpeg", {"contents": scalar(plain)}, tolerance=2, dct_method=method)
    yield Case("DecodeJpeg", {"contents": scalar(CMYK)}, tolerance=3)
    # With colours at full resolution: TensorFlow smooths others less at the edges of a crop than within the picture.
    yield Case("DecodeAndCropJpeg", {"contents": scalar(full), "crop_window": i32(2, 3, 7, 9)}, tolerance=2)
    yield Case("DecodeAndCropJpeg", {"contents": scalar(one), "crop_window": i32(0, 0, 9, 10)}, tolerance=2, channels=3)
    for output_type in [tf.int32, tf.int64]:
        yield Case("ExtractJpegShape", {"contents": scalar(plain)}, output_type=output_type)
    yield Case("ExtractJpegShape", {"contents": scalar(one)})
    yield Case("DecodeImage", {"contents": scalar(plain)}, tolerance=2)
    yield Case("DecodeImage", {"contents": scalar(plain)}, tolerance=0.01, dtype=tf.float32, expand_animations=False)
    yield Case("DecodeImage", {"contents": scalar(plain)}, tolerance=600, dtype=tf.uint16)


def pngs():
    files = [tf.io.encode_png(picture(4, 5, channels)).numpy() for channels in [1, 2, 3, 4]]
    wide = [tf.io.encode_png(ints(0, 65536, 3, 4, channels, dtype=np.uint16)).numpy() for channels in [1, 3, 4]]
    palette = bytes(range(0, 48))
    files.append(png(4, 2, 4, 3, b"\0\x12\x34\0\x0f\xa5", chunk(b"PLTE", palette)))
    files.append(png(4, 2, 4, 3, b"\0\x12\x34\0\x0f\xa5", chunk(b"PLTE", palette) + chunk(b"tRNS", bytes([0, 90, 180]))))
    files.append(png(10, 2, 1, 0, b"\0\xa5\x40\0\x5a\x80"))
    files.append(png(3, 2, 2, 0, b"\0\xe4\0\x1b"))
    files.append(interlaced(picture(11, 9, 1)[..., 0]))
    for data in files + wide:
        for channels in [0, 1, 3, 4]:
            yield Case("DecodePng", {"contents": scalar(data)}, channels=channels)
        yield Case("DecodePng", {"contents": scalar(data)}, dtype=tf.uint16)
        yield Case("DecodeImage", {"contents": scalar(data)}, expand_animations=False)
    for data in [files[2], wide[1]]:
        for dtype in [tf.uint16, tf.float32]:
            yield Case("DecodeImage", {"contents": scalar(data)}, dtype=dtype, channels=3)


def others():
    for channels in [1, 3, 4]:
        for top_down in [False, True]:
            data = bmp(picture(3, 5, channels), top_down)
            yield Case("DecodeBmp", {"contents": scalar(data)})
            yield Case("DecodeImage", {"contents": scalar(data)})
    cells = np.arange(35).reshape(5, 7) * 5
    still = gif(7, 5, [(0, 0, cells, None, False)])
    moving = gif(7, 5, [(0, 0, cells, None, True), (2, 1, cells[:3, :4] + 7, 12, False), (0, 0, cells[::-1], 0, False)])
    large = gif(20, 15, [(0, 0, np.arange(300).reshape(15, 20) % 256, None, True)])
    for data in [still, moving, large]:
        yield Case("DecodeGif", {"contents": scalar(data)})
        yield Case("DecodeImage", {"contents": scalar(data)})
    yield Case("DecodeImage", {"contents": scalar(moving)}, expand_animations=False)
    yield Case("DecodeImage", {"contents": scalar(still)}, dtype=tf.float32)
    for op in ["DecodePng", "DecodeJpeg"]:
        yield Case(op, {"contents": scalar(still)})


def encoders():
    """Of JPEG as the standard tables give it, of PNG without compression: what no version of a library changes."""
    for channels in [1, 3]:
        image = picture(6, 9, channels)
        yield Case("EncodeJpeg", {"image": image})
        yield Case("EncodeJpeg", {"image": image}, quality=40, density_unit="cm", x_density=100, y_density=200,
                   chroma_downsampling=False)
        yield Case("EncodeJpegVariableQuality", {"images": image, "quality": np.int32(70)})
        yield Case("EncodePng", {"image": image}, compression=0)
    yield Case("EncodePng", {"image": ints(0, 65536, 3, 2, 4, dtype=np.uint16)}, compression=0)
    yield Case("EncodePng", {"image": ints(0, 256, 2, 3, 2, 1, dtype=np.uint8)}, compression=0)


def cases():
    yield from encoders()
    yield from jpegs()
    yield from pngs()
    yield from others()
