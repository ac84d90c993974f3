package io.palinode.orchestrator.rest.access;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * The users of a file. Immutable. One line is one credential of a user:
 *
 * <pre>
 * # role   name        credential
 * viewer   prometheus  sha256:9f86d081…
 * operator alice       subject:CN=alice,O=Example
 * </pre>
 *
 * <p>Lines that begin with {@code store:} are users of the stores, and not of an API.
 */
final class Users {
  static final String TOKEN = "sha256:";
  static final String SUBJECT = "subject:";
  private static final String STORE = "store:";
  private static final String HASH = "[0-9a-f]{64}";
  private static final String NAME = "[A-Za-z0-9._@-]{1,64}";
  private static final int COLUMNS = 3;

  private final Map<String, User> ofTokens = new HashMap<>();
  private final Map<String, User> ofSubjects = new HashMap<>();

  /** Users of the stores alone; the store nodes check their lines. */
  private boolean hasStoreUsers;

  private Users() {}

  /** Throws {@link UsersException}; {@code source} names the file in it. */
  static Users parse(List<String> lines, String source) {
    Users users = new Users();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith(STORE)) {
        users.hasStoreUsers = true;
        continue;
      }
      try {
        users.add(line.split("\\s+", COLUMNS));
      } catch (IllegalArgumentException e) {
        throw new UsersException("%s:%d: %s".formatted(source, i + 1, e.getMessage()));
      }
    }
    return users;
  }

  boolean isEmpty() {
    return ofTokens.isEmpty() && ofSubjects.isEmpty() && !hasStoreUsers;
  }

  private void add(String[] columns) {
    if (columns.length < COLUMNS) {
      throw new IllegalArgumentException("a user is '<role> <name> <credential>'");
    }
    if (!columns[1].matches(NAME)) {
      throw new IllegalArgumentException(
          "a name has 1 to 64 characters A-Z a-z 0-9 . _ @ -: '%s'".formatted(columns[1]));
    }
    User user = new User(columns[1], Role.of(columns[0]));
    String credential = columns[2];
    User other;
    if (credential.startsWith(TOKEN) && credential.substring(TOKEN.length()).matches(HASH)) {
      other = ofTokens.put(credential.substring(TOKEN.length()), user);
    } else if (credential.startsWith(SUBJECT)) {
      other = ofSubjects.put(canonical(credential.substring(SUBJECT.length())), user);
    } else {
      throw new IllegalArgumentException(
          "a credential is 'sha256:' and 64 hexadecimal digits, or 'subject:' and the name of a"
              + " certificate");
    }
    if (other != null) {
      throw new IllegalArgumentException(
          "'%s' has this credential already".formatted(other.name()));
    }
  }

  private static String canonical(String subject) {
    return new X500Principal(subject).getName(X500Principal.CANONICAL);
  }

  @Nullable User withToken(String token) {
    return ofTokens.get(Tokens.hash(token));
  }

  @Nullable User withSubject(X500Principal subject) {
    return ofSubjects.get(subject.getName(X500Principal.CANONICAL));
  }
}
