package io.palinode.cli.access;

import io.palinode.orchestrator.rest.access.Role;
import io.palinode.orchestrator.rest.access.Tokens;
import io.palinode.orchestrator.rest.access.UsersFile;
import io.palinode.terminal.Refusal;
import io.palinode.voldemort.access.StoreUsers;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The users of an API. */
@Command(
    name = "user",
    mixinStandardHelpOptions = true,
    description = "Add users to the file that 'run' reads with --users.",
    subcommands = UserCommand.Add.class)
public final class UserCommand {
  /** Adds a credential of a user. */
  @Command(
      name = "add",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Add a user to a users file, and print the new token. The file has only its hash, so keep"
            + " the token. Running parts read the file again within a second.",
        "To remove a user, delete its line. To replace a token, add another and delete the first.",
        ""
      },
      footer = {"", "Example:  palinode user add alice --role operator --file users > alice.token"})
  static final class Add implements Callable<Integer> {
    @Parameters(paramLabel = "NAME", description = "The user's name, for the audit log.")
    private String name = "";

    @Option(
        names = "--role",
        paramLabel = "ROLE",
        description =
            "Of the API: viewer (reads), editor (also predicates), operator (also rollbacks and snapshots) or"
                + " admin (also deletes snapshots and renews budgets).")
    private @Nullable String role;

    @Option(
        names = "--store",
        paramLabel = "RIGHTS",
        description =
            "Rights in the stores instead of a role: some of read, write, past, replica (copies,"
                + " which Palinode's client writes) and node (everything), such as read,write. A"
                + " right may be for one store, as in read,write:carts. Needs"
                + " --certificate-subject.")
    private @Nullable String rights;

    @Option(
        names = "--file",
        required = true,
        paramLabel = "FILE",
        description = "The users file; it is made if it does not exist.")
    private Path file = Path.of("");

    @Option(
        names = "--certificate-subject",
        paramLabel = "NAME",
        description =
            "Take a client certificate of this name, such as CN=alice,O=Example, instead of a"
                + " token.")
    private @Nullable String subject;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
      if ((role == null) == (rights == null)) {
        throw new Refusal("a user has either a --role, or rights in the --store");
      }
      return role == null ? addToStores(String.valueOf(rights)) : addToApi(role);
    }

    private int addToStores(String known) {
      if (subject == null) {
        throw new Refusal("a user of the stores needs --certificate-subject");
      }
      String line =
          "%s%s %s %s".formatted(StoreUsers.STORE, known, name, UsersFile.ofSubject(subject));
      try {
        UsersFile.add(file, line, lines -> StoreUsers.require(lines, file.toString()));
      } catch (IllegalArgumentException e) {
        throw new Refusal(String.valueOf(e.getMessage()), e);
      }
      return 0;
    }

    private int addToApi(String wanted) {
      Role known = Refusal.valid("--role", () -> Role.of(wanted));
      String token = Tokens.random();
      String credential = subject == null ? UsersFile.ofToken(token) : UsersFile.ofSubject(subject);
      UsersFile.add(file, known, name, credential);
      if (subject == null) {
        spec.commandLine().getOut().println(token);
      }
      return 0;
    }
  }
}
