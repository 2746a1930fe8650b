(function_definition) @scope
(lambda) @scope
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope
(class_definition) @scope.type

(parameters (identifier) @bound)
(lambda_parameters (identifier) @bound)
(default_parameter name: (identifier) @bound)
(typed_parameter . (identifier) @bound)
(typed_default_parameter name: (identifier) @bound)
(list_splat_pattern (identifier) @bound)
(dictionary_splat_pattern (identifier) @bound)
(for_statement left: (identifier) @bound)
(for_in_clause left: (identifier) @bound)
(pattern_list (identifier) @bound)
(tuple_pattern (identifier) @bound)
(list_pattern (identifier) @bound)
(as_pattern_target (identifier) @bound)
(as_pattern_target (tuple (identifier) @bound))
(named_expression name: (identifier) @bound)

(keyword_argument name: (identifier) @label)
(keyword_pattern . (identifier) @label)

(type) @annotation
((assignment
  left: (identifier) @_all
  right: (_ (string (string_content) @listed)))
  (#eq? @_all "__all__"))
((augmented_assignment
  left: (identifier) @_all
  right: (_ (string (string_content) @listed)))
  (#eq? @_all "__all__"))

; Strings that are read as types outside of annotations: cast("A", x), TypeVar("T", bound="A"),
; Callable[["A"], "B"].
((call
  function: [(identifier) @_cast (attribute attribute: (identifier) @_cast)]
  arguments: (argument_list . (_) @annotation))
  (#eq? @_cast "cast"))
((keyword_argument name: (identifier) @_bound value: (_) @annotation)
  (#eq? @_bound "bound"))
((subscript value: [(identifier) @_generic (attribute attribute: (identifier) @_generic)]) @annotation
  (#any-of? @_generic
    "Annotated" "Awaitable" "Callable" "Dict" "Iterable" "Iterator" "List" "Mapping" "Optional"
    "Sequence" "Tuple" "Type" "Union"))
