package io.palinode.cli.access;

import io.palinode.terminal.ApiClient;
import io.palinode.terminal.Context;
import io.palinode.terminal.Contexts;
import io.palinode.terminal.Output;
import io.palinode.terminal.Refusal;
import io.palinode.terminal.TextTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The contexts of the user. */
@Command(
    name = "config",
    mixinStandardHelpOptions = true,
    description = {
      "Name clusters, and choose the one that commands use.",
      "A context has the addresses of a cluster, and the files that prove to it who you are. The"
          + " file of the contexts is $PALINODE_CONFIG, else ~/.config/palinode/config.json."
          + " $PALINODE_CONTEXT names another context for one command."
    },
    footer = {
      "",
      "Example:  palinode config set-context prod --server https://palinode:6766 --ca ca.pem"
          + " --token-file token",
      "          palinode config use-context prod"
    },
    subcommands = {
      ConfigCommand.SetContext.class,
      ConfigCommand.UseContext.class,
      ConfigCommand.GetContexts.class,
      ConfigCommand.DeleteContext.class
    })
public final class ConfigCommand {
  private static final String NAME = "NAME";

  /** Adds or changes one. */
  @Command(
      name = "set-context",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Add a context, or change what is named here. The first context is used at once.",
        "An empty value removes a setting."
      },
      footer = {
        "",
        "Example:  palinode config set-context prod --server https://palinode:6766 --ca ca.pem"
            + " --token-file token"
      })
  static final class SetContext implements Callable<Integer> {
    @Parameters(paramLabel = NAME, description = "The name of the context.")
    private String name = "";

    @Option(names = "--server", paramLabel = "URL", description = "The address of the API.")
    private @Nullable String server;

    @Option(
        names = "--bootstrap",
        split = ",",
        paramLabel = "HOST:PORT",
        description = "Addresses of store nodes; tls://HOST:PORT for nodes with TLS.")
    private @Nullable List<String> bootstrap;

    @Option(
        names = "--ca",
        paramLabel = "FILE",
        description = "PEM file of the authorities of the servers' certificates.")
    private @Nullable String ca;

    @Option(
        names = "--certificate",
        paramLabel = "FILE",
        description = "PEM file of your certificate, for servers that ask for one.")
    private @Nullable String certificate;

    @Option(names = "--key", paramLabel = "FILE", description = "PEM file of its private key.")
    private @Nullable String key;

    @Option(names = "--token-file", paramLabel = "FILE", description = "File of your token.")
    private @Nullable String tokenFile;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
      Path file = Contexts.file();
      Contexts all = Contexts.read(file);
      Context before = Objects.requireNonNullElse(all.contexts().get(name), Context.NONE);
      Context context =
          new Context(
              changed("server", url(server), before.server()),
              addresses(before.bootstrap()),
              changed("ca", path(ca), before.ca()),
              changed("certificate", path(certificate), before.certificate()),
              changed("key", path(key), before.key()),
              changed("token-file", path(tokenFile), before.tokenFile()));
      if ((context.certificate() == null) != (context.key() == null)) {
        throw new Refusal("--certificate and --key must be named together");
      }
      Contexts changed = all.with(name, context);
      (all.contexts().isEmpty() ? changed.using(name) : changed).write(file);
      spec.commandLine().getOut().println("context '%s' is set in %s".formatted(name, file));
      return 0;
    }

    /**
     * The option's value if the option is given; a default of the context in use does not count.
     */
    private @Nullable String changed(String option, @Nullable String value, @Nullable String was) {
      if (!spec.commandLine().getParseResult().hasMatchedOption("--" + option)) {
        return was;
      }
      return value == null || value.isEmpty() ? null : value;
    }

    private @Nullable List<String> addresses(@Nullable List<String> was) {
      List<String> named = bootstrap;
      if (named == null || !spec.commandLine().getParseResult().hasMatchedOption("--bootstrap")) {
        return was;
      }
      return named.equals(List.of("")) ? null : named;
    }

    /** Throws {@link Refusal} unless the text is empty or the address of an API. */
    private static @Nullable String url(@Nullable String text) {
      if (text == null || text.isEmpty() || ApiClient.isUrl(text)) {
        return text;
      }
      throw new Refusal("--server must be a URL like http://127.0.0.1:6766: '%s'".formatted(text));
    }

    /** Commands may run in another folder. Throws {@link Refusal} unless the file exists. */
    private static @Nullable String path(@Nullable String text) {
      if (text == null || text.isEmpty()) {
        return text;
      }
      Path path = Path.of(text).toAbsolutePath().normalize();
      if (!Files.isRegularFile(path)) {
        throw new Refusal("there is no file " + path);
      }
      return path.toString();
    }
  }

  /** Chooses one. */
  @Command(
      name = "use-context",
      mixinStandardHelpOptions = true,
      description = "Let commands use a context.",
      footer = {"", "Example:  palinode config use-context prod"})
  static final class UseContext implements Callable<Integer> {
    @Parameters(paramLabel = NAME, description = "The name of the context.")
    private String name = "";

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
      Path file = Contexts.file();
      Contexts all = Contexts.read(file);
      Context chosen = all.get(name, file);
      all.using(name).write(file);
      spec.commandLine()
          .getOut()
          .println(
              "commands use '%s'%s"
                  .formatted(name, chosen.server() == null ? "" : ", " + chosen.server()));
      return 0;
    }
  }

  /** Lists them. */
  @Command(
      name = "get-contexts",
      mixinStandardHelpOptions = true,
      description = "List the contexts; * marks the one in use.",
      footer = {"", "Example:  palinode config get-contexts"})
  static final class GetContexts implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
      Path file = Contexts.file();
      Contexts all = Contexts.read(file);
      if (all.contexts().isEmpty()) {
        Output.progress(spec)
            .accept("no contexts in " + file + ": add one with 'palinode config set-context'");
        return 0;
      }
      TextTable table =
          new TextTable(TextTable.Align.LEFT, List.of(" ", "NAME", "SERVER", "BOOTSTRAP"));
      all.contexts()
          .forEach(
              (name, context) ->
                  table.row(
                      List.of(
                          name.equals(all.current()) ? "*" : " ",
                          name,
                          Objects.requireNonNullElse(context.server(), "-"),
                          addresses(context))));
      spec.commandLine().getOut().print(table.render());
      spec.commandLine().getOut().flush();
      return 0;
    }
  }

  private static String addresses(Context context) {
    return context.bootstrap() == null ? "-" : String.join(",", context.bootstrap());
  }

  /** Removes one. */
  @Command(
      name = "delete-context",
      mixinStandardHelpOptions = true,
      description = "Delete a context. The files that it names stay.",
      footer = {"", "Example:  palinode config delete-context prod"})
  static final class DeleteContext implements Callable<Integer> {
    @Parameters(paramLabel = NAME, description = "The name of the context.")
    private String name = "";

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
      Path file = Contexts.file();
      Contexts all = Contexts.read(file);
      Context unused = all.get(name, file);
      all.without(name).write(file);
      spec.commandLine().getOut().println("context '%s' is deleted".formatted(name));
      return 0;
    }
  }
}
