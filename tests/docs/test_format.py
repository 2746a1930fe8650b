"""docs/format.md says what the program writes: no more, no less, byte by byte."""

import hashlib
import itertools
import json
import math
import re
import shutil
import struct
import zlib

import numpy as np
import pytest

from gitsearch.features import embedding
from gitsearch.features.ragged import narrowed
from gitsearch.git import repo as repository
from gitsearch.graph import definition_cache, graph_cache, graph_metrics
from gitsearch.index import (
    change_history,
    described_files,
    describer,
    postings,
    segment_assembly,
    segment_schema,
    shared_facts,
    shared_file,
    versions,
    view_parts,
    word_filter,
)
from gitsearch.index import view_store as shelves
from gitsearch.index.history_index import HistoryIndex
from gitsearch.index.open_view import ViewOpener
from gitsearch.index.overlay import overlay
from gitsearch.index.session import Session
from gitsearch.index.view_store import open_view_store
from gitsearch.records import DirtyFile
from gitsearch.settings import WAIT, Settings, Silent
from gitsearch.store import facts_db, facts_schema, layout, sections, vector_file
from tests.builder import RepoBuilder
from tests.docs.pages import page, section, table

FORMAT = page("docs/format.md")
ARRAYS = {row[0]: row[1:] for row in table(FORMAT, "Arrays of a segment")}
INLINE = {"vector"}
WIDTHS = {"u4": "I", "u8": "Q", "f4": "f"}


class Quiet(Silent):
    def note(self, line):
        raise AssertionError(line)


@pytest.fixture(scope="module")
def place(sample_template, tmp_path_factory):
    """A copy of the sample repository for all tests here; what they change they undo."""
    path = tmp_path_factory.mktemp("format") / "sample"
    shutil.copytree(sample_template.path, path, symlinks=True)
    return RepoBuilder.adopt(path, sample_template.clock)


@pytest.fixture(scope="module")
def store(place):
    """Its index with a base, a delta, an overlay and a graph, made in this process."""
    edited = DirtyFile(b"new.py", "e" * 40, 0o100644, b"def new():\n    return 1\n")
    for revision, dirty in (("HEAD~1", []), ("HEAD", []), ("HEAD", [edited])):
        session = Session(place.path)
        found = session.resolve(revision)
        view = ViewOpener(session, must_write=True).open(found, dirty)
    graph = graph_cache.graph_of(view)
    graph_metrics.metrics_of(session, graph)
    definition_cache.definitions_of(view, graph)
    change_history.change_history(session, found.commit)
    word_filter.word_filter_of(session, found.tree)
    place.git("config", "search.describeCommand", "cat >/dev/null; echo code")
    describer.describe(Session(place.path), [place.rev("HEAD~1^{tree}")])
    for _ in range(2):  # the list of commits is kept where some are indexed
        HistoryIndex(session).open(str(found.commit), WAIT)
    return open_view_store(repository.open_repo(place.path), Settings())


def views(store):
    """Both view files by kind: base, delta."""
    names = [name for name, _ in store.files() if name.endswith(".view")]
    found = {}
    for name in names:
        read = sections.read(store.folder, name)
        found["delta" if read.meta["base"] else "base"] = read
    assert sorted(found) == ["base", "delta"]
    assert len(names) == 2
    return found


def test_the_document_was_read():
    assert len(ARRAYS) > 40
    assert len(table(FORMAT, "The folder")) > 6


# ---------------------------------------------------------------- the folder


@pytest.mark.slow
def test_every_file_of_the_folder_is_documented(store):
    names = [row[0] for row in table(FORMAT, "The folder")]
    patterns = {name: re.sub(r"<\w+>", "[0-9a-f]+", re.escape(name)) for name in names}
    seen = set()
    # there only while something is written, in large trees, and where hooks are installed
    unseen = {
        "views/<digest>-<recipe>.answer",
        "views/<tree>-<recipe>.part<number>",
        "compared-<worktree>-<state>",
        "*.tmp",
        "index.duckdb.wal",
        "pending",
        "worker.lock",
        "worker.log",
        "worker.log.1",
        "background.lock",
    }
    for file, _ in store.files():
        fitting = [name for name, pattern in patterns.items() if re.fullmatch(pattern, file)]
        assert len(fitting) == 1, file
        seen.add(fitting[0])
    assert set(names) - seen == unseen


def test_the_recipe_is_as_documented(store, place):
    attributes = b"*.x -search\n"
    place.git_dir.joinpath("info").mkdir(exist_ok=True)
    hashed = hashlib.blake2b(attributes, digest_size=4).hexdigest()
    for text, mark in ((attributes, hashed), (b"", "")):
        place.git_dir.joinpath("info", "attributes").write_bytes(text)
        parts = (versions.FACTS_VERSION, versions.VIEW_VERSION, store.fingerprint, 1 << 20, mark)
        wanted = hashlib.blake2b("\n".join(map(str, parts)).encode(), digest_size=4).hexdigest()
        assert open_view_store(repository.open_repo(place.path), Settings()).recipe == wanted


def test_the_fingerprint_is_as_documented(store):
    files = [store.model.folder / name for name in ("model.safetensors", "tokenizer.json")]
    data = b"".join(file.read_bytes() for file in files)
    assert store.fingerprint == hashlib.blake2b(data, digest_size=8).hexdigest()


def test_the_versions_are_as_documented():
    documented = {row[0]: row[1] for row in table(FORMAT, "Versions")}
    assert documented == {
        "section format": str(sections.FORMAT_VERSION),
        "vector format": str(vector_file.MATRIX_VERSION),
        "record version": str(facts_schema.RECORD_VERSION),
        "facts version": versions.FACTS_VERSION,
        "view version": str(versions.VIEW_VERSION),
        "graph version": str(graph_cache.GRAPH_VERSION),
        "shape version": str(graph_metrics.SHAPE_VERSION),
        "landings version": str(change_history.LANDINGS_VERSION),
        "definitions version": str(definition_cache.DEFINITIONS_VERSION),
        "words version": str(versions.WORDS_VERSION),
        "history version": str(versions.HISTORY_VERSION),
        "described version": str(versions.DESCRIBED_VERSION),
        "share version": str(versions.SHARE_VERSION),
    }


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("First line of an exported index", shared_file.Header),
        ("Line of a blob", shared_facts.SharedBlob),
        ("Definition in an exported index", shared_facts.SharedSymbol),
    ],
)
def test_an_exported_index_is_as_documented(heading, kind):
    assert [row[0] for row in table(FORMAT, heading)] == [*kind.__struct_encode_fields__]


def test_the_seal_is_as_documented(store):
    raw = (store.folder / "seal").read_bytes()
    check, body = raw[:8], raw[9:]
    assert raw[8:9] == b"\n"
    assert check == b"%08x" % zlib.crc32(body)
    looks = json.loads(body)
    for name, look in looks.items():
        stat = (store.folder / name).stat()
        assert look == [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
    unsealed = {"README", "CACHEDIR.TAG", "lock", "seal", "descriptions", "describe.lock"}
    sealed = {
        name
        for name, _ in store.files()
        if not re.search(
            r"\.(edits|bloom|described|commits|(graph|shape|definitions|uses|landings)\d+)$", name
        )
    }
    assert set(looks) == sealed - unsealed


def kept_file(store, part, title, place, declared):
    """The one file with this in its name, whose sections a table of the document must name."""
    (name,) = [name for name, _ in store.files() if part in name]
    found = sections.read(store.folder, name)
    documented: dict[str, str] = {}
    for row in table(FORMAT, title, place):
        names, kinds = re.findall(r"[\w-]+", row[0]), row[1].split(", ")
        documented |= {one: kinds[min(i, len(kinds) - 1)] for i, one in enumerate(names)}
    assert set(documented) == set(found.arrays)
    assert documented == {one: array.dtype for one, array in declared.items()}
    for one, array in found.arrays.items():
        kind = documented[one]
        wanted = narrowed(array).dtype if kind in ("uint", "int") else np.dtype(kind)
        assert array.dtype == wanted, one
        assert kind != "uint" or array.dtype.kind == "u", one
    return found


def test_a_graph_is_as_documented(store):
    found = kept_file(store, layout.GRAPH, "Graphs", 1, graph_cache.ARRAYS)
    assert {row[0] for row in table(FORMAT, "Graphs")} == set(found.meta)


def test_a_shape_is_as_documented(store):
    assert set(kept_file(store, layout.SHAPE, "Shapes", 0, graph_metrics.ARRAYS).meta) == {"names"}


def test_a_graph_of_definitions_is_as_documented(store):
    title = "Graphs of definitions"
    found = kept_file(store, layout.DEFINITIONS, title, 0, definition_cache.GRAPH_ARRAYS)
    assert set(found.meta) == {"kinds"}
    found = kept_file(store, layout.USES, title, 1, definition_cache.FACT_ARRAYS)
    assert set(found.meta) == {"languages", "words", "files"}


def test_landings_are_as_documented(store):
    found = kept_file(store, layout.LANDINGS, "Landings", 0, change_history.ARRAYS)
    assert set(found.meta) == {"cut"}


def test_a_filter_of_words_is_as_documented(store):
    found = kept_file(store, ".bloom", "Filters of words", 0, word_filter.ARRAYS)
    assert set(found.meta) == {"version"}


def test_the_words_of_descriptions_are_as_documented(store):
    title = "Words of descriptions"
    found = kept_file(store, ".described", title, 0, described_files.ARRAYS)
    section = FORMAT.partition(f"### {title}")[2].partition("\n## ")[0]
    assert all(f"`{name}`" in section for name in found.meta)


# ---------------------------------------------------------------- the record


def test_every_table_and_column_is_documented(store):
    with facts_db.FactsDb(store.folder / layout.RECORD) as held:
        rows = held.execute(
            "select table_name, column_name, data_type, is_nullable"
            " from information_schema.columns order by ordinal_position"
        )
    assert {row[3] for row in rows} == {"NO"}
    found: dict[str, list[tuple[str, str]]] = {}
    for name, column, kind, _ in rows:
        found.setdefault(name, []).append((column, kind.lower()))
    assert set(found) == set(facts_schema.TABLES)
    text = FORMAT[: FORMAT.index("\n## Vector files\n")]
    documented = re.findall(r"^### `(\w+)`$", text, re.M)
    assert sorted(documented) == sorted(found)
    for name, columns in found.items():
        assert [(row[0], row[1]) for row in table(FORMAT, f"`{name}`")] == columns


def test_the_pairs_of_meta_are_documented(store):
    with facts_db.FactsDb(store.folder / layout.RECORD) as held:
        found = held.meta()
    after_gc = {"left_by_gc"}
    assert set(found) == {row[0] for row in table(FORMAT, "`meta`", 1)} - after_gc
    assert found["facts_version"] == versions.FACTS_VERSION
    assert found["model"] == store.fingerprint
    assert re.fullmatch("[0-9a-f]{8}", found["generation"])


KEYS = {
    "blob": ["id", "oid, hint, forced"],
    "chunk": ["id"],
    "symbol": ["blob, ordinal"],
}


def test_keys_are_keys_and_ids_are_dense(store):
    with facts_db.FactsDb(store.folder / layout.RECORD) as held:
        for name, keys in KEYS.items():
            count = held.count(name)
            assert count
            for key in keys:
                (row,) = held.execute(f"select count(*) from (select distinct {key} from {name})")
                assert row[0] == count, f"{name}({key})"
            if "id" in keys:
                assert held.next_id(name) == count
        gaps = held.execute(
            "select count(*) from chunk c join chunk d on d.id = c.id + 1 and d.blob = c.blob"
            ' where c."end" <> d.start'
        )
    assert gaps == [(0,)]


def test_the_kinds_of_symbols_are_documented(store):
    cell = next(row[2] for row in table(FORMAT, "`symbol`") if row[0] == "kind")
    with facts_db.FactsDb(store.folder / layout.RECORD) as held:
        found = {row[0] for row in held.execute("select distinct kind from symbol")}
    assert found <= set(facts_schema.SYMBOL_KINDS)
    assert set(re.findall(r"\w+", cell)) - {"or"} == set(facts_schema.SYMBOL_KINDS)


# ---------------------------------------------------------------- binary layouts


def fields(heading, width=0):
    """Offsets and widths of a documented layout, with B filled in."""

    def number(text):
        return sum(width if part == "B" else int(part) for part in text.split(" + "))

    rows = table(FORMAT, heading)
    out = [(number(offset), number(width), kind) for offset, width, kind, _ in rows]
    for (start, width, _), (following, _, _) in itertools.pairwise(out):
        assert start + width == following
    return out


@pytest.mark.parametrize(
    ("heading", "structure"),
    [
        ("Header of a vector file", vector_file._HEADER),
        ("Header of a section file", sections._HEADER),
        ("Entry of the table", sections._ENTRY),
    ],
)
def test_the_offsets_are_those_of_the_program(heading, structure):
    documented = fields(heading)
    assert documented[-1][0] + documented[-1][1] == structure.size
    assert structure.format[0] == "<"
    codes = [f"{width}s" if kind == "bytes" else WIDTHS[kind] for _, width, kind in documented]
    # padding is written as zero bytes, in a struct x or an integer
    written = structure.format.replace("x", "s")
    assert "<" + "".join(codes) == written


def test_a_vector_file_is_as_documented(store):
    (name,) = [name for name, _ in store.files() if name.startswith("vectors-")]
    data = (store.folder / name).read_bytes()
    magic, version, width, fingerprint, generation, rest = struct.unpack_from(
        "<8sII16s8s24s", data
    )
    assert (magic, version, rest) == (b"gitsvec\n", 5, bytes(24))
    assert width == -(-store.model.dims // 2)
    assert fingerprint.decode() == store.fingerprint
    assert name == f"vectors-{store.fingerprint}-{generation.decode()}.i4"
    rows = fields("Row of a vector file", width)
    size = rows[-1][0] + rows[-1][1]
    assert size == vector_file.row_type(width).itemsize == width + 4
    with facts_db.FactsDb(store.folder / layout.RECORD) as held:
        assert len(data) == 64 + size * held.count("chunk")
        assert name[-11:-3] == held.meta()["generation"]
    for start in range(64, len(data), size):
        row = data[start : start + size]
        assert row[-4:] == zlib.crc32(row[:-4]).to_bytes(4, "little")
        halves = [half for byte in row[:width] for half in (byte & 15, byte >> 4)]
        steps = embedding.unpacked(np.frombuffer(row, np.uint8, width)[None])[0].tolist()
        assert steps == ([2 * half - 15 for half in halves] if any(halves) else [0] * len(halves))


def test_a_component_is_as_documented():
    share = re.search(r"A step is (\S+) / (\S+) of the mean magnitude", FORMAT)
    assert share is not None
    sums = np.rint(np.random.default_rng(1).normal(size=(9, 33)) * 1e5)
    step = np.abs(sums).sum(axis=1) * (float(share[1]) / float(share[2]) / 33)
    sizes = np.minimum(2 * np.floor(np.abs(sums) / step[:, None]) + 1, 15)
    assert (embedding.quantised(sums) == np.where(sums < 0, -sizes, sizes)).all()


def test_the_fixed_point_is_as_documented():
    fixed = embedding.Model(embedding.PACKAGED)._fixed
    assert f"multiples of 2^-{math.log2(fixed):.0f} first" in FORMAT


def test_a_section_file_is_as_documented(store):
    for view in views(store).values():
        data = (store.folder / view.name).read_bytes()
        magic, version, count, length, check, zero = struct.unpack_from("<8sIIQII", data)
        assert (magic, version, zero) == (b"gitsrch\n", 2, 0)
        assert length == len(data)
        assert length % 64 == 0
        assert check == zlib.crc32(data[32 : 32 + 72 * count])
        seen, last = [], 32 + 72 * count
        for i in range(count):
            entry = struct.unpack_from("<24s8sQQQQII", data, 32 + 72 * i)
            name, kind = (text.rstrip(b"\0").decode() for text in entry[:2])
            rows, columns, offset, size, crc, axes = entry[2:]
            assert (offset % 64, axes) == (0, 2 if columns else 1)
            assert not any(data[last:offset])
            assert offset - last < 64
            assert zlib.crc32(data[offset : offset + size]) == crc
            assert size == rows * max(columns, 1) * np.dtype(kind).itemsize
            last = offset + size
            seen.append(name)
        assert not any(data[last:])
        assert seen[0] == "meta"
        at, size = struct.unpack_from("<QQ", data, 32 + 48)
        meta = json.loads(data[at : at + size])
        assert meta == {**view.meta, "name": view.name}
        assert (
            data[at : at + size]
            == json.dumps(meta, sort_keys=True, separators=(",", ":")).encode()
        )
        assert set(seen[1:]) == set(view.arrays)


def test_names_of_sections_fit():
    assert all(len(name) <= 24 for name in ARRAYS)


# ---------------------------------------------------------------- segments


@pytest.fixture(scope="module")
def segments(store, place):
    """A segment of each sort: base, delta, overlay in memory."""
    found = views(store)
    dirty = DirtyFile(b"README.md", "0" * 40, 0o100644, b"# Edited\n\nEdited.\n")
    base = store.segment(found["base"].arrays, found["base"].meta)
    above, _ = overlay(repository.open_repo(place.path), store, [(base, [])], [dirty])
    return found | {"overlay": above}


def test_what_a_reader_demands_is_what_is_documented():
    declared = (
        segment_schema.SEGMENT
        | segment_schema.ROW
        | segment_schema.INLINE
        | segment_schema.REMOVED
    )
    documented = {name: (kind, shape) for name, (kind, shape, _) in ARRAYS.items()}
    assert {name: (one.dtype, one.shape) for name, one in declared.items()} == documented
    assert set(segment_schema.VIEW_META) == {row[0] for row in table(FORMAT, "Meta of a segment")}


def test_every_array_is_documented(segments):
    delta = {"removed", "removed_ends"}
    always = set(ARRAYS) - INLINE - delta - {"row"}
    assert set(segments["base"].arrays) == always | {"row"}
    assert set(segments["delta"].arrays) == always | delta | {"row"}
    assert set(segments["overlay"].arrays) == always | INLINE


@pytest.mark.parametrize("sort", ["base", "delta", "overlay"])
def test_types_and_shapes_are_as_documented(segments, sort):
    found = segments[sort]
    known = {"F": found.meta["files"], "C": found.meta["chunks"]}
    known |= {"D": 128, "W": 2, "H": 20}
    for name, array in sorted(found.arrays.items(), key=lambda item: list(ARRAYS).index(item[0])):
        kind, shape, _ = ARRAYS[name]
        if kind in ("uint", "int"):
            assert array.dtype == narrowed(array).dtype, name
            assert kind == "int" or array.dtype.kind == "u", name
        else:
            assert array.dtype == np.dtype(kind), name
        formulas = shape.split(" x ")
        assert array.ndim == len(formulas), name
        for size, formula in zip(array.shape, formulas, strict=True):
            if formula == "bytes":
                continue
            letter, _, more = formula.partition(" + ")
            assert known.setdefault(letter, size - int(more or 0)) == size - int(more or 0), name
    assert set(known) <= set(re.findall(r"\b([A-Z])\b", section(FORMAT, "Arrays of a segment")))


@pytest.mark.parametrize("sort", ["base", "delta"])
def test_the_meta_of_a_segment_is_documented(segments, sort):
    keys = {row[0] for row in table(FORMAT, "Meta of a segment")}
    assert set(segments[sort].meta) == keys
    assert segments[sort].meta["rows"] == segments[sort].arrays["row"].max() + 1


def test_the_meta_of_an_overlay_names_no_file(segments):
    assert not {"tree", "vectors", "rows"} & set(segments["overlay"].meta)


@pytest.mark.parametrize("sort", ["base", "delta", "overlay"])
def test_orders_are_as_documented(segments, sort):
    found = segments[sort]
    texts = {
        what: [
            bytes(found.arrays[f"{what}_text"][start:end])
            for start, end in itertools.pairwise(ends)
        ]
        for what in ("path", "term", "kind")
        for ends in [found.arrays[f"{what}_ends"].tolist()]
    }
    for what, read in texts.items():
        assert read == sorted(set(read)), what
    for name in ("chunk_file", "symbol_file", *(["removed"] if sort == "delta" else [])):
        assert (np.diff(found.arrays[name].astype(np.int64)) >= 0).all(), name
    assert found.meta["length"] == found.arrays["length"].sum()
    assert found.meta["languages"] == sorted(found.meta["languages"])
    assert found.meta["reasons"] == ["", *sorted(found.meta["reasons"][1:])]
    of_files = np.bincount(
        found.arrays["chunk_file"], found.arrays["length"], len(found.arrays["file_length"])
    )
    assert (found.arrays["file_length"] == of_files).all()
    assert (np.diff(found.arrays["path_term"].astype(np.int64)) > 0).all()
    for start, end in itertools.pairwise(found.arrays["path_term_ends"].tolist()):
        assert (np.diff(found.arrays["path_term_file"][start:end].astype(np.int64)) > 0).all()


def decoded(arrays, term, chunks):
    """Chunks and occurrences of a term, read one digit after the other."""
    start, end = arrays["posting_ends"][term : term + 2].tolist()
    first, last = arrays["posting_step_ends"][term : term + 2].tolist()
    raw = arrays["posting_step"][first:last].tobytes()
    base, size = (255, 1) if (end - start) * 255 >= chunks else (65535, 2)
    rows, total = [], 0
    for at in range(0, len(raw), size):
        digit = int.from_bytes(raw[at : at + size], "little")
        total += digit
        if digit != base:
            rows.append(total - 1)
    pairs = arrays["posting_tf"].tolist()
    return rows, [pairs[i // 2] >> 4 * (i % 2) & 15 for i in range(start, end)]


@pytest.mark.parametrize("sort", ["base", "delta", "overlay"])
def test_postings_are_as_documented(segments, sort):
    arrays, chunks = segments[sort].arrays, segments[sort].meta["chunks"]
    count = len(arrays["term_ends"]) - 1
    for term in range(count):
        rows, often = decoded(arrays, term, chunks)
        assert rows == sorted(set(rows))
        assert len(rows) == len(often)
        assert not rows or (min(often) > 0 and rows[-1] < chunks)
        (found,) = postings.decoded(arrays, np.asarray([term]), chunks)
        assert [one.tolist() for one in found] == [rows, often]
    held = int(arrays["posting_ends"][-1])
    assert len(arrays["posting_tf"]) == -(-held // 2)
    assert not held % 2 or arrays["posting_tf"][-1] >> 4 == 0


def test_the_example_of_postings_is_right():
    text = " ".join(section(FORMAT, "Postings").split())
    held = re.search(r"in the chunks (0[\d, and]+)\.", text)
    digits = re.search(r"the digits ([\d, ]+)\.", text)
    two = re.search(r"the bytes ([\da-f ]+)\.", text)
    assert held is not None
    assert digits is not None
    assert two is not None
    chunks = [int(word) for word in re.findall(r"\d+", held[1])]
    raw = bytes(int(word) for word in digits[1].split(", "))
    for rows, step in ((chunks, raw), (chunks[::3], bytes.fromhex(two[1]))):
        arrays = {
            "posting_ends": np.asarray([0, len(rows)]),
            "posting_step_ends": np.asarray([0, len(step)]),
            "posting_step": np.frombuffer(step, np.uint8),
            "posting_tf": np.full(-(-len(rows) // 2), 0x11, np.uint8),
        }
        assert decoded(arrays, 0, 600)[0] == rows
        assert postings.decoded(arrays, np.asarray([0]), 600)[0][0].tolist() == rows


def test_sign_bits_are_as_documented(segments):
    above = segments["overlay"]
    for chunk in range(above.meta["chunks"]):
        for dim in range(128):
            bit = int(above.arrays["code"][dim // 64, chunk]) >> dim % 64 & 1
            assert bit == (above.arrays["vector"][chunk, dim] > 0)


def test_a_delta_holds_what_its_base_has_not(segments, place):
    base, delta = segments["base"], segments["delta"]
    assert delta.meta["base"] == base.meta["tree"] == place.rev("HEAD~1^{tree}")
    assert delta.meta["tree"] == place.rev("HEAD^{tree}")
    changed = place.git("diff-tree", "-r", "--name-status", "--no-renames", "HEAD~1", "HEAD")
    words = [line.split("\t") for line in changed.splitlines()]
    assert delta.meta["files"] == sum(status != "D" for status, _ in words)
    assert len(delta.arrays["removed"]) == sum(status != "A" for status, _ in words)
    assert delta.arrays["removed_ends"].tolist() == [0, len(delta.arrays["removed"])]


def test_the_numbers_of_the_text_are_those_of_the_program():
    text = " ".join(FORMAT.split())
    assert segment_assembly.MOST_CHANGED == 0.25
    assert "at most a quarter as many paths changed" in text
    assert f"more than {shelves._MOST_LAYERS} segments counts as damaged" in text
    assert (shelves._MOST_BASES, shelves._MOST_DELTAS) == (3, 32)
    assert "the three newest bases, the 32 newest deltas and all that those stand on stay" in text
    assert f"at most {postings.MOST}, two to a byte" in text
    assert f"It reads the first {shelves._MOST_PARTS}." in text
    assert (view_parts.FIRST, view_parts.GROWTH, view_parts.MOST) == (8 << 20, 0.5, 0.75)
    assert "has 8 MiB of text, and half as much as the tree's text that was recorded" in text
    assert "none when more than three quarters of the tree's text would be" in text
