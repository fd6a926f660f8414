# SPDX-License-Identifier: Apache-2.0
"""The four networks: their files in mlcommons/tiny and the checksums that all tools here insist on."""

import hashlib
import os
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
COMMIT = "1afd2c9820f795965a6134facd0b4dfae41ef23f"
SOURCE = "https://raw.githubusercontent.com/mlcommons/tiny/" + COMMIT + "/benchmark/training/"


class Network(NamedTuple):
    name: str
    folder: str  # below benchmark/training
    file: str
    bytes: int
    sha256: str


NETWORKS = [
    Network("image_classification", "image_classification/trained_models", "pretrainedResnet_quant.tflite", 98496,
            "3c002613d1b2475eb51dd78dfb85a546c8ae658dee71cf6ade43b022fe205415"),
    Network("keyword_spotting", "keyword_spotting/trained_models", "kws_ref_model.tflite", 53936,
            "aeea436800704fce17b17292e4412630ad856e9d777c044c64ef748a880bd0ae"),
    Network("visual_wake_words", "visual_wake_words/trained_models", "vww_96_int8.tflite", 333288,
            "597a384c8c2c8a1276f04702f25013b7838f2f814f1ca7c174d295b73e3d6b7b"),
    Network("anomaly_detection", "anomaly_detection/trained_models", "ad01_int8.tflite", 276976,
            "87cf24194ef93d1d9b11a591d805526b98008e351655d29883c825c9c106ba24"),
]


def default_folder():
    """Where the tests look: $TESSERA_MODELS, otherwise ../shared/models beside the source root."""
    return Path(os.environ.get("TESSERA_MODELS") or HERE.parents[1].parent / "shared" / "models")


def checked(network, content):
    """|content|, or an error that says what is wrong with it."""
    if len(content) != network.bytes:
        raise SystemExit(f"{network.file}: {len(content)} bytes instead of {network.bytes}: the file is cut short or another one")
    digest = hashlib.sha256(content).hexdigest()
    if digest != network.sha256:
        raise SystemExit(f"{network.file}: sha256 {digest} instead of {network.sha256}: another version of the model")
    return content


def read(network, folder):
    path = Path(folder) / network.file
    try:
        return checked(network, path.read_bytes())
    except OSError as error:
        raise SystemExit(f"{path}: {error.strerror}: get it with get.py, or name its folder with --models") from error
