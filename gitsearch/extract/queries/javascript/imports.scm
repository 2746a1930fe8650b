(import_statement
  (import_clause [
    (identifier) @default
    (namespace_import) @names
    (named_imports (import_specifier) @names)])
  source: (string (string_fragment) @specifier)) @import
(import_statement source: (string (string_fragment) @specifier)) @import

(export_statement
  (export_clause (export_specifier) @names)
  source: (string (string_fragment) @specifier)) @import.export
(export_statement
  (namespace_export) @names
  source: (string (string_fragment) @specifier)) @import.export
(export_statement source: (string (string_fragment) @specifier)) @import.export

(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern) @names
    (pair_pattern) @names])
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @specifier))) @import.require
  (#eq? @_require "require"))
(call_expression
  function: (identifier) @_require
  arguments: (arguments . [
    (string (string_fragment) @specifier)
    (template_string . (string_fragment) @specifier .)])
  (#eq? @_require "require")) @import.require
(call_expression
  function: (import)
  arguments: (arguments . [
    (string (string_fragment) @specifier)
    (template_string . (string_fragment) @specifier .)])) @import.dynamic
; `import(/* webpackChunkName: "x" */ "./x")`
(call_expression
  function: (import)
  arguments: (arguments . (comment)+ . (string (string_fragment) @specifier))) @import.dynamic

; `require.resolve("x")`, and what test runners replace or load: `jest.mock("./x")`
(call_expression
  function: (member_expression
    object: (identifier) @_object
    property: (property_identifier) @_method)
  arguments: (arguments . (string (string_fragment) @specifier))
  (#any-of? @_object "require" "jest" "vi" "vitest")
  (#match? @_method "^(resolve|((do)?(un)?|dont)[mM]ock|(import|require)(Actual|Mock)|createMockFromModule)$")) @import.mock

; `new URL("./worker.js", import.meta.url)`
(new_expression
  constructor: (identifier) @_url
  arguments: (arguments
    . [
      (string (string_fragment) @specifier)
      (template_string . (string_fragment) @specifier .)]
    . (member_expression object: (meta_property)))
  (#eq? @_url "URL")) @import.url

; `path.join(__dirname, "..", "cli.js")`, a file that is read or run: the specifier is all of the
; arguments.
(call_expression
  function: [
    (identifier) @_join
    (member_expression property: (property_identifier) @_join)]
  arguments: (arguments . (identifier) @_here . (string)) @specifier
  (#any-of? @_join "join" "resolve")
  (#eq? @_here "__dirname")) @import.path
(call_expression
  function: [
    (identifier) @_join
    (member_expression property: (property_identifier) @_join)]
  arguments: (arguments
    . (member_expression
      object: (meta_property)
      property: (property_identifier) @_here)
    . (string)) @specifier
  (#any-of? @_join "join" "resolve")
  (#eq? @_here "dirname")) @import.path

; What is imported is computed: a call whose only or first argument is no constant.
(call_expression
  function: (import)
  arguments: (arguments . [
    (template_string (template_substitution))
    (identifier) (member_expression) (subscript_expression) (call_expression) (new_expression)
    (binary_expression) (ternary_expression) (parenthesized_expression) (await_expression)
  ] @specifier)) @import.computed
; `import(/* @vite-ignore */ path)`
(call_expression
  function: (import)
  arguments: (arguments . (comment)+ . [
    (template_string (template_substitution))
    (identifier) (member_expression) (subscript_expression) (call_expression) (new_expression)
    (binary_expression) (ternary_expression) (parenthesized_expression) (await_expression)
  ] @specifier)) @import.computed
(call_expression
  function: (identifier) @_require
  arguments: (arguments . [
    (template_string (template_substitution))
    (identifier) (member_expression) (subscript_expression) (call_expression) (new_expression)
    (binary_expression) (ternary_expression) (parenthesized_expression) (await_expression)
  ] @specifier)
  (#eq? @_require "require")) @import.computed

; `/// <reference path="./x.d.ts" />`: the specifier is the whole comment.
(program (comment) @specifier @import.reference
  (#match? @specifier "^///[ \t]*<reference[ \t]"))
