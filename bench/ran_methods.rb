# Runs the tests of one file and writes which methods ran in them, for impact_oracle_ruby.py:
#
#     ruby ran_methods.rb FILE OUT FOLDER rspec|script
#
# FOLDER: methods of files below it are written, in lines of "path TAB name TAB line". What runs
# before the first test, while files are loaded, is left out. A script is a file whose tests are
# run when the process ends, as those of minitest and test-unit are.

file, out, folder, how = ARGV.shift(4)
ran = {}
trace = TracePoint.new(:call) { |call| ran[[call.path, call.method_id, call.lineno]] = true }

# what is registered first runs last; processes that a test forks write theirs, too
at_exit do
  trace.disable if trace.enabled?
  own = ran.keys.select { |path, _| path.start_with?(folder) }
  lines = own.map { |place| "#{place.join("\t")}\n" }
  File.write(out, lines.join, mode: "a")
end

if how == "rspec"
  require "rspec/core"
  RSpec.configure { |config| config.before(:suite) { trace.enable } }
  exit RSpec::Core::Runner.run([file])
else
  $0 = file
  load file
  at_exit { trace.enable }
end
