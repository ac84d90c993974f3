package io.palinode.cli.shell;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints what {@code --version} prints. */
@Command(
    name = "version",
    versionProvider = Version.class,
    mixinStandardHelpOptions = true,
    description = {
      "Print the version, the commit and the Java of this command.",
      "'palinode doctor' compares the versions of a cluster's parts."
    },
    footer = {"", "Example:  palinode version"})
public final class VersionCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    CommandLine line = spec.commandLine();
    line.printVersionHelp(line.getOut());
    return 0;
  }
}
