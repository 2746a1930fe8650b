(identifier) @name
(identifier) @called
(constant) @name
(call receiver: (_) @owner method: [(identifier) @member (constant) @member])
(call method: (constant) @called)
(scope_resolution scope: (_) @owner name: (constant) @member)
(super) @above
; A name of a method that is passed on.
(argument_list (simple_symbol) @name)
(pair value: (simple_symbol) @name)
; One that is called of the elements of a list, or of a value.
((block_argument (simple_symbol) @member @name @called) @owner)
((call receiver: (_) @owner method: (identifier) @_send
  arguments: (argument_list . (simple_symbol) @member @called))
  (#any-of? @_send "__send__" "method" "public_method" "public_send" "send" "try"))
; What is called without its name; `]` stands for the element that is assigned.
(element_reference object: (_) @owner "[" @operator @member)
(assignment left: (element_reference object: (_) @owner "]" @operator @member))
(operator_assignment left: (element_reference object: (_) @owner "]" @operator @member))
((binary left: (_) @owner operator: _ @operator @member)
  (#not-match? @operator "^(&&|and|or|[|][|]|!=|!~)$"))
(assignment left: (call receiver: (_) @owner method: (identifier) @setter))
(operator_assignment left: (call receiver: (_) @owner method: (identifier) @setter))
(assignment left: (call method: (identifier) @skipped))

(module name: (constant) @defined)
(module name: (scope_resolution name: (constant) @defined))
(class name: (constant) @defined)
(class name: (scope_resolution name: (constant) @defined))
(method name: (_) @defined)
(setter name: (identifier) @defined)
(singleton_method name: (_) @defined)
(alias name: (_) @defined)
(alias alias: (_) @name @called)
((call method: (identifier) @_maker arguments: (argument_list (simple_symbol) @defined))
  (#match? @_maker "^(attr|[cm]attr|class_attribute|define_method|define_singleton_method|scope|let|subject|delegate)"))
((call method: (identifier) @_alias arguments: (argument_list . (simple_symbol) @defined))
  (#eq? @_alias "alias_method"))
((call method: (identifier) @_alias
  arguments: (argument_list (simple_symbol) . (simple_symbol) @called))
  (#eq? @_alias "alias_method"))
((call method: (identifier) @skipped) (#match? @skipped "^require"))

(superclass [(constant) @base (scope_resolution name: (constant) @base)])
((call method: (identifier) @_how
  arguments: (argument_list [(constant) @base (scope_resolution name: (constant) @base)]))
  (#any-of? @_how "include" "extend" "prepend"))
((assignment left: (constant) right: (call receiver: (constant) @_class method: (identifier) @_new
  arguments: (argument_list . [(constant) @base (scope_resolution name: (constant) @base)])))
  (#eq? @_class "Class") (#eq? @_new "new"))

(method_parameters (identifier) @bound)
(block_parameters (identifier) @bound)
(lambda_parameters (identifier) @bound)
(destructured_parameter (identifier) @bound)
(optional_parameter name: (identifier) @bound)
(keyword_parameter name: (identifier) @bound)
(splat_parameter name: (identifier) @bound)
(hash_splat_parameter name: (identifier) @bound)
(block_parameter name: (identifier) @bound)
(exception_variable (identifier) @bound)
(left_assignment_list (identifier) @bound)
(for pattern: (identifier) @bound)

(lambda) @inline
(block) @block
(do_block) @block

(assignment
  left: [(identifier) (instance_variable) (class_variable) (constant) (scope_resolution)] @variable
  right: (_) @value)
(operator_assignment left: [(identifier) (instance_variable) (class_variable)] @variable
  right: (_) @value)
((call
  method: (identifier) @_let
  arguments: (argument_list . (simple_symbol) @variable)
  block: [(block (block_body (_) @value .)) (do_block (body_statement (_) @value .))])
  (#match? @_let "^(let|subject)!?$"))
; A group of examples is about the class that it names.
((call method: (identifier) @variable
  arguments: (argument_list . [(constant) (scope_resolution)] @value))
  (#eq? @variable "describe"))
(method body: (body_statement (_) @returned .))
(singleton_method body: (body_statement (_) @returned .))
(method "=" body: (_) @returned)
(singleton_method "=" body: (_) @returned)
(return (argument_list . (_) @returned .))
