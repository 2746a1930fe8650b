(comment) @comment

; Containers. `Foo::Bar` is named Bar and qualified by Foo.
(module name: (constant) @name body: (_)? @body) @definition.module
(module name: (scope_resolution scope: (_) @scope name: (constant) @name) body: (_)? @body) @definition.module
(class name: (constant) @name body: (_)? @body) @definition.class
(class name: (scope_resolution scope: (_) @scope name: (constant) @name) body: (_)? @body) @definition.class

; Methods, also behind `private`, in `class << self` and at the top level.
((method name: (_) @name) @definition.method (#not-eq? @name "initialize"))
((method name: (_) @name) @definition.constructor (#eq? @name "initialize"))
(singleton_method name: (_) @name) @definition.method
(alias name: (_) @name) @definition.method
((call
  method: (identifier) @_maker
  arguments: (argument_list . (simple_symbol) @name)) @definition.method
  (#any-of? @_maker "alias_method" "define_method" "define_singleton_method" "scope"))

; Attributes.
((call
  !receiver
  method: (identifier) @_maker
  arguments: (argument_list (simple_symbol) @name)) @definition.property
  (#any-of? @_maker
    "attr_accessor" "attr_reader" "attr_writer" "attr" "cattr_accessor" "cattr_reader"
    "mattr_accessor" "mattr_reader" "mattr_writer" "class_attribute" "thread_mattr_accessor"))

; Classes and modules made by a call; all other capitalised assignments are constants.
((assignment left: (constant) @name right: (call receiver: (constant) @_maker)) @definition.class
  (#any-of? @_maker "Struct" "Class" "Data"))
((assignment left: (constant) @name right: (call receiver: (constant) @_maker)) @definition.module
  (#eq? @_maker "Module"))
((assignment left: (constant) @name right: (_) @_value) @definition.constant
  (#not-match? @_value "^(Struct|Class|Data|Module)\\."))
(assignment left: (scope_resolution scope: (_) @scope name: (constant) @name)) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
(operator_assignment left: (constant) @name) @definition.constant
(body_statement (assignment left: (class_variable) @name) @definition.field)

(call method: (identifier) @reference.call)
(call method: (constant) @reference.call)
(superclass [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(call receiver: [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(argument_list [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(exceptions [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(pattern [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(binary [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(array [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(pair value: [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(assignment right: [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(body_statement [(constant) @reference.type (scope_resolution name: (constant) @reference.type)])
(scope_resolution scope: (constant) @reference.type)
