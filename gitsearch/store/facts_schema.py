"""The tables of the record as in docs/format.md, "index.duckdb", and checks of a foreign file."""

from __future__ import annotations

import re

from gitsearch.git_conventions import OBJECT_ID

# 1: first version
# 2: no terms and postings, which are counted from the text of the chunks
# 3: no references and imports, which only graphs need; no signatures and documentation
RECORD_VERSION = 3

SCHEMA = """
create table meta(key varchar primary key, value varchar not null);
create table blob(id uinteger not null, oid varchar not null, hint varchar not null,
    forced boolean not null, language varchar not null, skip varchar not null,
    size ubigint not null, lines uinteger not null,
    first_chunk uinteger not null, chunks uinteger not null);
create table chunk(id uinteger not null, blob uinteger not null, start uinteger not null,
    "end" uinteger not null, first_line uinteger not null, last_line uinteger not null,
    scope integer not null, symbol integer not null);
create table symbol(blob uinteger not null, ordinal uinteger not null, name varchar not null,
    qualified varchar not null, kind varchar not null, start uinteger not null,
    "end" uinteger not null, signature_end uinteger not null, first_line uinteger not null,
    last_line uinteger not null, parent integer not null);
"""

TABLES = ("meta", "blob", "chunk", "symbol")

# The expected result of pragma_table_info: each column as (table, position, name, type, not null,
# default, primary key). Columns of views are never "not null", and generated ones have a default.
COLUMNS = [
    (table, position, name.strip('"'), kind.upper(), True, None, "primary" in more)
    for table, text in re.findall(r"create table (\w+)\(([^)]*)\)", SCHEMA)
    for position, (name, kind, *more) in enumerate(map(str.split, text.split(",")))
]

# Every other kind of object in a database; there must be none, except for the schema "main".
OTHERS = (
    ("table", "select table_name from duckdb_tables() where table_name not in {tables}"),
    ("view", "select view_name from duckdb_views()"),
    ("macro", "select function_name from duckdb_functions()"),
    ("schema", "select schema_name from duckdb_schemas() where schema_name <> 'main'"),
    ("sequence", "select sequence_name from duckdb_sequences()"),
    ("index", "select index_name from duckdb_indexes()"),
    ("type", "select type_name from duckdb_types() where not internal"),
    ("trigger", "select trigger_name from duckdb_triggers()"),
    (
        "constraint",
        "select constraint_text from duckdb_constraints()"
        " where constraint_type not in ('NOT NULL', 'PRIMARY KEY')",
    ),
)

# Formats of the values of meta that become parts of file names, or numbers.
META = {
    "generation": re.compile("[0-9a-f]{8}"),
    "model": re.compile("[0-9a-f]{16}"),
    "left_by_gc": re.compile("[0-9]{1,15}"),
}

# Kinds of symbols.
SYMBOL_KINDS = (
    *("function", "method", "class", "struct", "enum", "interface", "trait", "type", "module"),
    *("namespace", "constant", "variable", "field", "property", "constructor", "macro"),
    "enumerator",
)

# Integrity checks, as (message for the first row that the query finds, query).
CONTRADICTIONS = (
    (
        "two rows of the table blob have the id {}",
        "select id from blob group by id having count(*) > 1",
    ),
    (
        "two rows of the table blob are of the object {} as {}",
        # the ids of objects that git has lost are all zeros
        "select oid, hint from blob where trim(oid, '0') <> ''"
        " group by oid, hint, forced having count(*) > 1",
    ),
    (
        "two rows of the table chunk have the id {}",
        "select id from chunk group by id having count(*) > 1",
    ),
    (
        "row {} of the table blob says it has {} chunks, and has {}",
        "select b.id, b.chunks, count(c.id) from blob b left join chunk c on c.blob = b.id and"
        " c.id >= b.first_chunk and c.id < b.first_chunk::bigint + b.chunks"
        " group by b.id, b.chunks having count(c.id) <> b.chunks",
    ),
    *(
        (
            f"a row of the table {table} refers to the blob {{}}, which is not there",
            f'select t.blob from "{table}" t anti join blob b on b.id = t.blob',
        )
        for table in ("chunk", "symbol")
    ),
    (
        "two rows of the table symbol have the number {1} in the blob {0}",
        "select blob, ordinal from symbol group by blob, ordinal having count(*) > 1",
    ),
    *(
        (
            f"chunk {{}} refers to the symbol {{}}, which is not there, as its {column}",
            f"select c.id, c.{column} from chunk c anti join symbol s"
            f" on s.blob = c.blob and s.ordinal = c.{column} where c.{column} >= 0",
        )
        for column in ("scope", "symbol")
    ),
    *(
        (
            f"the ids of the table {table} are not dense up to {{}}",
            f"select max(id) from {table} having max(id) >= count(*)",
        )
        for table in ("blob", "chunk")
    ),
    (
        "row {} of the table blob is of no object, language or reason",
        f"select id from blob where not regexp_full_match(oid, '{OBJECT_ID}')"
        " or not regexp_full_match(language, '[a-z0-9+#_.-]{1,40}') or size >= 1::ubigint << 48"
        " or skip not in ('', 'binary', 'generated', 'lfs') or (skip <> '' and chunks > 0)",
    ),
    (
        "the numbers of the table symbol in the blob {} are not dense",
        "select blob from symbol group by blob having max(ordinal) >= count(*)",
    ),
    (
        "symbol {1} of the blob {0} has the parent {2}",
        "select blob, ordinal, parent from symbol where parent >= ordinal::bigint or parent < -1",
    ),
    (
        "symbol {1} of the blob {0} is not a range of it",
        "select s.blob, s.ordinal from symbol s join blob b on b.id = s.blob"
        ' where s.start > s."end" or s."end" > b.size or s.signature_end > b.size'
        " or s.first_line > s.last_line",
    ),
    (
        "symbol {1} of the blob {0} is of the unknown kind {2}",
        f"select blob, ordinal, kind from symbol where kind not in {SYMBOL_KINDS}",
    ),
    (
        "chunk {} is not a range of its blob",
        'select c.id from chunk c join blob b on b.id = c.blob where c.start > c."end"'
        ' or c."end" > b.size or c.first_line > c.last_line',
    ),
    (
        "chunk {} does not begin where the one before ends",
        "select id from (select id, start,"
        ' coalesce(lag("end") over (partition by blob order by id), 0) as before from chunk)'
        " where start <> before",
    ),
    (
        "blob {} has definitions and no chunks",
        "select distinct s.blob from symbol s join blob b on b.id = s.blob where b.chunks = 0",
    ),
    (
        "chunk {} refers to a symbol below -1",
        "select id from chunk where scope < -1 or symbol < -1",
    ),
)

# Fill a record from the record `o`, with the blobs of the table `kept`, with new dense ids.
COPY = (
    "create temp table b as select (row_number() over (order by x.id) - 1)::uinteger as id,"
    " x.id as old from o.blob x semi join kept k on k.id = x.id",
    "create temp table c as select (row_number() over (order by x.id) - 1)::uinteger as id,"
    " x.id as old, b.id as blob from o.chunk x join b on b.old = x.blob",
    "insert into meta select * from o.meta",
    "insert into blob select b.id, oid, hint, forced, language, skip, size, lines,"
    " coalesce((select min(c.id) from c where c.blob = b.id), 0), chunks"
    " from o.blob x join b on b.old = x.id order by b.id",
    'insert into chunk select c.id, c.blob, start, "end", first_line, last_line, scope, symbol'
    " from o.chunk x join c on c.old = x.id order by c.id",
    "insert into symbol select b.id, x.* exclude (blob) from o.symbol x join b on b.old = x.blob"
    " order by b.id, ordinal",
)
