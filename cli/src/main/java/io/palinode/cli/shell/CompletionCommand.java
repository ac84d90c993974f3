package io.palinode.cli.shell;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints a script with which a shell completes commands and options. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = "Print a script with which a shell completes commands and options.",
    footer = {
      "",
      "Examples:",
      "  palinode completion bash > ~/.local/share/bash-completion/completions/palinode",
      "  palinode completion zsh > ~/.palinode.zsh    (then: source ~/.palinode.zsh)",
      "  palinode completion fish > ~/.config/fish/completions/palinode.fish"
    })
public final class CompletionCommand implements Callable<Integer> {
  /** Shells that have completion. */
  enum Shell {
    BASH,
    ZSH,
    FISH
  }

  private static final Pattern VALUES = Pattern.compile("_args=\\(.*\\)");

  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
  private Shell shell = Shell.BASH;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    PrintWriter out = spec.commandLine().getOut();
    out.print(
        switch (shell) {
          // One script: it loads zsh's emulation of bash where it needs it.
          case BASH, ZSH -> lowerCase(AutoComplete.bash(root.getCommandName(), root));
          case FISH -> FishCompletion.of(root);
        });
    out.flush();
    return 0;
  }

  /** With values as the help has them. A value in upper case completes no word that is typed so. */
  private static String lowerCase(String script) {
    return VALUES.matcher(script).replaceAll(values -> values.group().toLowerCase(Locale.ROOT));
  }
}
