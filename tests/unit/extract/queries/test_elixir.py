"""Definitions, imports and references found in Elixir."""

from tests.unit.extract.queries.cases import Case, CaseChecks

SOURCE = '''\
defmodule MyApp.Foo do
  @moduledoc """
  The module.
  """
  use GenServer
  import Ecto.Query, only: [from: 2]
  alias MyApp.{Bar, Baz}
  require Logger

  @timeout 5_000
  @typedoc "A thing."
  @type t :: %__MODULE__{name: String.t()}
  @callback handle(term) :: :ok

  @doc """
  Runs it.

  And more.
  """
  @spec run(integer, integer) :: :ok
  def run(x, y \\\\ 1) when is_integer(x) do
    local = 1
    Logger.info("x")
    helper(local) |> Enum.map(&Bar.go/1)
  end

  def run(nil, _), do: :error
  # Helps.
  defp helper(x), do: x
  def no_args, do: 1
  defmacro mac(x) do
    quote do: unquote(x)
  end
  defguard is_pos(x) when x > 0
  def a <~> b, do: a
end
defprotocol Size do
  def size(data)
end
defimpl Size, for: BitString do
  def size(x), do: byte_size(x)
end
'''

CASE = Case(
    "elixir",
    SOURCE,
    definitions="""
    1-36 module MyApp.Foo | defmodule MyApp.Foo | The module.
    10-10 constant MyApp.Foo.timeout | @timeout 5_000
    12-12 type MyApp.Foo.t | @type t :: %__MODULE__{name: String.t()} | A thing.
    13-13 method MyApp.Foo.handle | @callback handle(term) :: :ok
    21-27 function MyApp.Foo.run | def run(x, y \\\\ 1) when is_integer(x) | Runs it.
    29-29 function MyApp.Foo.helper | defp helper(x), do: x | Helps.
    30-30 function MyApp.Foo.no_args | def no_args, do: 1
    31-33 macro MyApp.Foo.mac | defmacro mac(x)
    34-34 macro MyApp.Foo.is_pos | defguard is_pos(x) when x > 0
    35-35 function MyApp.Foo.<~> | def a <~> b, do: a
    37-39 interface Size | defprotocol Size
    38-38 method Size.size | def size(data)
    41-41 method Size.size | def size(x), do: byte_size(x)
    """,
    imports="""
    5 use GenServer
    6 import Ecto.Query
    7 alias MyApp Bar,Baz
    8 require Logger
    40 impl Size
    """,
    calls="""
    t:12 run:20 is_integer:21 info:23 helper:24 map:24 go:24 byte_size:41
    """,
    types="""
    GenServer:5 Ecto.Query:6 MyApp:7 Bar:7 Baz:7 Logger:8 String:12 Logger:23 Enum:24 Bar:24
    BitString:40
    """,
)


class TestElixir(CaseChecks):
    case = CASE
