(comment) @comment
((unary_operator operator: "@" operand: (call target: (identifier) @_name)) @attribute
  (#match? @_name "^(doc|spec|impl|deprecated|since|dialyzer|typedoc)$"))

; Everything in Elixir is a call, also what defines. First what has a doc, then what has none.
((call
  target: (identifier) @_how
  (arguments . (alias) @name)
  (do_block (unary_operator
    operand: (call target: (identifier) @_doc (arguments [(string) (sigil)] @doc)))) @body) @definition.module
  (#eq? @_how "defmodule")
  (#eq? @_doc "moduledoc"))
((call
  target: (identifier) @_how (arguments . (alias) @name) (do_block)? @body) @definition.module
  (#eq? @_how "defmodule"))
((call
  target: (identifier) @_how
  (arguments . (alias) @name)
  (do_block (unary_operator
    operand: (call target: (identifier) @_doc (arguments [(string) (sigil)] @doc)))) @body) @definition.interface
  (#eq? @_how "defprotocol")
  (#eq? @_doc "moduledoc"))
((call
  target: (identifier) @_how (arguments . (alias) @name) (do_block)? @body) @definition.interface
  (#eq? @_how "defprotocol"))
((call target: (identifier) @_how (arguments . (alias) @name)) @container
  (#eq? @_how "defimpl"))
((call
  target: [(identifier) @_how (dot right: (identifier) @_how)]
  (arguments . (atom) @name)) @definition.struct
  (#any-of? @_how "defrecord" "defrecordp"))

; def name(args), def name, both with guards: one match for each clause, which adds to the first.
((unary_operator
    operand: (call target: (identifier) @_doc (arguments [(string) (sigil)] @doc)))
  . (unary_operator)*
  . (call
    target: (identifier) @_how
    (arguments . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")
    ])
    (do_block)? @body) @definition.function @clause
  (#eq? @_doc "doc")
  (#match? @_how "^(def|defp|defdelegate|defn|defnp)$"))
((call
  target: (identifier) @_how
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")
  ])
  (do_block)? @body) @definition.function @clause
  (#match? @_how "^(def|defp|defdelegate|defn|defnp)$"))
((unary_operator
    operand: (call target: (identifier) @_doc (arguments [(string) (sigil)] @doc)))
  . (unary_operator)*
  . (call
    target: (identifier) @_how
    (arguments . [
      (identifier) @name
      (call target: (identifier) @name)
      (binary_operator left: (call target: (identifier) @name) operator: "when")
      (binary_operator left: (identifier) @name operator: "when")
    ])
    (do_block)? @body) @definition.macro @clause
  (#eq? @_doc "doc")
  (#match? @_how "^(defmacro|defmacrop|defguard|defguardp)$"))
((call
  target: (identifier) @_how
  (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name) operator: "when")
    (binary_operator left: (identifier) @name operator: "when")
  ])
  (do_block)? @body) @definition.macro @clause
  (#match? @_how "^(defmacro|defmacrop|defguard|defguardp)$"))

; Operators: def a <> b, def a <> b when guard.
((call
  target: (identifier) @_how
  (arguments . (binary_operator
    left: [(identifier) (binary_operator) (tuple) (list) (map) (string) (unary_operator)]
    operator: _ @name))
  (do_block)? @body) @definition.function @clause
  (#match? @_how "^(def|defp|defmacro|defmacrop)$")
  (#not-eq? @name "when"))
((call
  target: (identifier) @_how
  (arguments . (binary_operator
    left: (binary_operator operator: _ @name right: (identifier))
    operator: "when"))
  (do_block)? @body) @definition.function @clause
  (#match? @_how "^(def|defp|defmacro|defmacrop)$"))
((call target: (identifier) @_how (arguments . (atom) @name)) @definition.struct
  (#match? @_how "^(defrecord|defrecordp)$"))

; Attributes: types, callbacks, and the others as constants.
((unary_operator
    operand: (call target: (identifier) @_doc (arguments [(string) (sigil)] @doc)))
  . (unary_operator
    operand: (call
      target: (identifier) @_how
      (arguments . (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)]
        operator: "::")))) @definition.type
  (#eq? @_doc "typedoc")
  (#match? @_how "^(type|opaque)$"))
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_how
    (arguments . (binary_operator
      left: [(identifier) @name (call target: (identifier) @name)]
      operator: "::")))) @definition.type
  (#match? @_how "^(type|typep|opaque)$"))
((unary_operator
    operand: (call target: (identifier) @_doc (arguments [(string) (sigil)] @doc)))
  . (unary_operator
    operand: (call
      target: (identifier) @_how
      (arguments . [
        (binary_operator left: (call target: (identifier) @name) operator: "::")
        (binary_operator
          left: (binary_operator left: (call target: (identifier) @name) operator: "::")
          operator: "when")
      ]))) @definition.method @clause
  (#eq? @_doc "doc")
  (#match? @_how "^(callback|macrocallback)$"))
((unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_how
    (arguments . [
      (binary_operator left: (call target: (identifier) @name) operator: "::")
      (binary_operator
        left: (binary_operator left: (call target: (identifier) @name) operator: "::")
        operator: "when")
    ]))) @definition.method @clause
  (#match? @_how "^(callback|macrocallback)$"))
((unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))) @definition.constant
  (#not-match? @name "^(doc|moduledoc|typedoc|shortdoc|spec|type|typep|opaque|callback|macrocallback|optional_callbacks|impl|behaviour|derive|enforce_keys|deprecated|since|compile|dialyzer|external_resource|on_load|on_definition|before_compile|after_compile|after_verify|tag|moduletag|describetag|endpoint|attr|slot|nifs|vsn|file|fallback_to_any|for|protocol|undefined_impl_description|requirements|recursive)$"))

((call target: (identifier) @reference.call)
  (#not-match? @reference.call "^(def[a-z]*|use|import|alias|require|quote|unquote|if|unless|case|cond|with|for|fn|try|receive|raise|assert|test|describe|when|and|or|not|in|doc|spec|type|typep|typedoc|opaque|moduledoc|callback|macrocallback|behaviour|impl|is_nil)$"))
(call target: (dot right: (identifier) @reference.call))
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @reference.call operator: "/"))
(binary_operator operator: "|>" right: (identifier) @reference.call)
(call target: (dot left: (alias) @reference.type))
(dot left: (alias) @reference.type)
(struct (alias) @reference.type)
(unary_operator operand: (call target: (identifier) (arguments (alias) @reference.type)))
(arguments (alias) @reference.type)
(list (alias) @reference.type)
(tuple (alias) @reference.type)
(pair value: (alias) @reference.type)
(binary_operator (alias) @reference.type)
