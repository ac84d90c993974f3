package io.palinode.cli;

import io.palinode.cli.access.ConfigCommand;
import io.palinode.cli.access.ContextDefaults;
import io.palinode.cli.access.UserCommand;
import io.palinode.cli.bench.BenchCommand;
import io.palinode.cli.chaos.ChaosCommand;
import io.palinode.cli.demo.DemoCommand;
import io.palinode.cli.describe.DescribeCommand;
import io.palinode.cli.detect.DetectCommand;
import io.palinode.cli.explain.ExplainCommand;
import io.palinode.cli.predicate.ApplyCommand;
import io.palinode.cli.predicate.DeleteCommand;
import io.palinode.cli.predicate.DiffCommand;
import io.palinode.cli.predicate.ExportCommand;
import io.palinode.cli.predicate.LintCommand;
import io.palinode.cli.predicate.SchemaCommand;
import io.palinode.cli.rollback.RepairCommand;
import io.palinode.cli.rollback.RollbackCommand;
import io.palinode.cli.run.KafkaCommand;
import io.palinode.cli.run.RunCommand;
import io.palinode.cli.shell.CompletionCommand;
import io.palinode.cli.shell.Version;
import io.palinode.cli.shell.VersionCommand;
import io.palinode.cli.simulate.SimulateCommand;
import io.palinode.cli.snapshot.SnapshotCommand;
import io.palinode.cli.snapshot.SnapshotDiffCommand;
import io.palinode.cli.status.AcknowledgeCommand;
import io.palinode.cli.status.AlertCommand;
import io.palinode.cli.status.DoctorCommand;
import io.palinode.cli.status.RecoverCommand;
import io.palinode.cli.status.StatusCommand;
import io.palinode.cli.store.GetValueCommand;
import io.palinode.cli.store.HistoryCommand;
import io.palinode.cli.store.PutCommand;
import io.palinode.cli.trace.RecordCommand;
import io.palinode.cli.trace.TraceCommand;
import io.palinode.cli.witness.VerifyCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The {@code palinode} command. Exit status: 0 done; 1 the answer is no, something that is needed
 * does not work, or a defect; 2 the request was refused, or no cluster is at the address.
 */
@Command(
    name = "palinode",
    versionProvider = Version.class,
    mixinStandardHelpOptions = true,
    header =
        "Watches predicates over a replicated key-value store, and rolls back their violations.",
    description = {
      "",
      "Start with @|bold palinode demo|@: it runs an application in three ways, with all parts in"
          + " one process.",
      "Then start a cluster with @|bold palinode up|@. The other commands use this cluster.",
      ""
    },
    footer = {
      "",
      "Exit status: 0 done; 1 the answer is no, a needed part of the cluster does not answer, or an"
          + " internal error; 2 the request was refused, or no cluster is at the address (standard"
          + " error has the reason)."
    })
public final class Main {
  private static final List<Class<?>> COMMANDS =
      List.of(
          DemoCommand.class,
          UpCommand.class,
          RunCommand.class,
          ApplyCommand.class,
          DiffCommand.class,
          GetCommand.class,
          DescribeCommand.class,
          DeleteCommand.class,
          StatusCommand.class,
          DoctorCommand.class,
          RecoverCommand.class,
          RepairCommand.class,
          AcknowledgeCommand.class,
          AlertCommand.class,
          KafkaCommand.class,
          RollbackCommand.class,
          SnapshotCommand.class,
          RecordCommand.class,
          TraceCommand.class,
          DetectCommand.class,
          VerifyCommand.class,
          ExportCommand.class,
          ExplainCommand.class,
          LintCommand.class,
          SchemaCommand.class,
          PutCommand.class,
          GetValueCommand.class,
          HistoryCommand.class,
          BenchCommand.class,
          SimulateCommand.class,
          ChaosCommand.class,
          ConfigCommand.class,
          UserCommand.class,
          CompletionCommand.class,
          VersionCommand.class);

  /** What picocli adds to a command with the standard options. */
  private static final Set<String> VERSION = Set.of("-V", "--version");

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces of errors.")
  private boolean debug;

  public static void main(String[] args) {
    if (List.of(args).contains("--debug")) {
      // Read when the first logger is made, before any option is parsed.
      System.setProperty("palinode.log.stack", "full");
    }
    int status = execute(commandLine(needed(args)), args);
    String failure = System.out.checkError() ? outputFailure() : null;
    if (failure != null) {
      System.err.println("palinode: standard output cannot be written: " + failure);
      status = CommandLine.ExitCode.SOFTWARE;
    }
    System.exit(status);
  }

  /** Why the last write failed; null if the reader has closed the pipe, as {@code head} does. */
  private static @Nullable String outputFailure() {
    // Closing it would close the descriptor.
    FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    try {
      out.write('\n');
      return "some of it is missing";
    } catch (IOException e) {
      return "Broken pipe".equals(e.getMessage()) ? null : e.getMessage();
    }
  }

  /** Returns the exit status, also after an {@link Error}: threads of parts would keep the JVM. */
  static int execute(CommandLine commandLine, String... args) {
    try {
      return commandLine.execute(args);
    } catch (Error e) { // Picocli handles exceptions only.
      return commandLine.<Main>getCommand().explain(e, commandLine);
    }
  }

  public static CommandLine commandLine() {
    return commandLine(COMMANDS);
  }

  /** The model of one command is made in half the time of the model of all. */
  static List<Class<?>> needed(String... args) {
    if (args.length == 1 && VERSION.contains(args[0])) {
      return List.of();
    }
    for (Class<?> command : COMMANDS) {
      // Completion prints all commands.
      if (args.length > 0
          && command != CompletionCommand.class
          && command.getAnnotation(Command.class).name().equals(args[0])) {
        return List.of(command);
      }
    }
    return COMMANDS;
  }

  static CommandLine commandLine(List<Class<?>> commands) {
    Main main = new Main();
    CommandLine commandLine = new CommandLine(main);
    commands.forEach(commandLine::addSubcommand);
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setDefaultValueProvider(new ContextDefaults());
    SnapshotDiffCommand.allowTimesLikeOptions(commandLine);
    commandLine.setParameterExceptionHandler((refusal, args) -> main.refuse(refusal));
    commandLine.setExecutionStrategy(Main::run);
    return commandLine.setExecutionExceptionHandler(
        (failure, command, parsed) -> main.explain(failure, command));
  }

  private static int run(ParseResult parsed) {
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    CommandLine command = last.commandSpec().commandLine();
    if (!command.getSubcommands().isEmpty()) {
      // Picocli prints the help of the group instead, if --help follows a command that is none.
      if (!last.unmatched().isEmpty()) {
        throw new UnmatchedArgumentException(command, last.unmatched());
      }
      if (!last.isUsageHelpRequested() && !last.isVersionHelpRequested()) {
        command.usage(command.getErr());
        throw new ParameterException(command, "a command is missing");
      }
    }
    return new CommandLine.RunLast().execute(parsed);
  }

  /** One line; the usage is a question away. */
  private int refuse(ParameterException refusal) {
    CommandLine command = refusal.getCommandLine();
    List<String> near =
        refusal instanceof UnmatchedArgumentException unmatched
            ? unmatched.getSuggestions()
            : List.of();
    String reason =
        String.valueOf(refusal.getMessage())
            .replaceAll("\\R+", " ")
            .replaceFirst("' is not an? (?:int|long)$", "' is not a whole number");
    String hint = near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
    command
        .getErr()
        .println(
            "palinode: %s%s (see '%s --help')"
                .formatted(reason, hint, command.getCommandSpec().qualifiedName()));
    if (debug) {
      refusal.printStackTrace(command.getErr());
    }
    return CommandLine.ExitCode.USAGE;
  }

  private int explain(Throwable failure, CommandLine command) {
    boolean refused = Refusals.isRefusal(failure);
    boolean known = refused || Refusals.isOutage(failure);
    command.getErr().println("palinode: " + Refusals.sentence(failure, known));
    if (debug) {
      failure.printStackTrace(command.getErr());
    } else if (!known) {
      command.getErr().println("This is a defect; --debug shows where.");
    }
    return Refusals.exitStatus(failure);
  }
}
