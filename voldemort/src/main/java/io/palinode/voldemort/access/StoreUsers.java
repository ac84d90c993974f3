package io.palinode.voldemort.access;

import io.palinode.tls.FollowedFile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * The users of the stores, in a file that may change. Thread-safe. It may be the users file of the
 * API, whose lines are skipped. One line is one certificate:
 *
 * <pre>
 * # rights                 name     certificate
 * store:read,write,replica alice    subject:CN=alice,O=Example
 * store:read,past:carts    auditor  subject:CN=auditor
 * </pre>
 */
public final class StoreUsers {
  /** Begins the lines of users of the stores. */
  public static final String STORE = "store:";

  private static final String SUBJECT = "subject:";
  private static final String NAME = "[A-Za-z0-9._@-]{1,64}";
  private static final int COLUMNS = 3;

  private final @Nullable FollowedFile<Map<String, StoreUser>> file;

  /**
   * @param file null: each client may do everything
   */
  public StoreUsers(@Nullable Path file, LongSupplier nanoTime) {
    this.file =
        file == null
            ? null
            : FollowedFile.open(file, nanoTime, lines -> parse(lines, file.toString()));
  }

  /** The user with a certificate of this subject, as {@link #canonical} gives it. */
  public StoreUser of(String subject) {
    return file == null ? StoreUser.ANY : file.value().getOrDefault(subject, StoreUser.UNKNOWN);
  }

  /** One text for all ways to write a subject. Throws {@link IllegalArgumentException}. */
  public static String canonical(X500Principal subject) {
    return subject.getName(X500Principal.CANONICAL);
  }

  /** Throws {@link IllegalArgumentException} that names {@code source} and the line. */
  public static void require(List<String> lines, String source) {
    Map<String, StoreUser> unused = parse(lines, source);
  }

  private static Map<String, StoreUser> parse(List<String> lines, String source) {
    Map<String, StoreUser> users = new HashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.startsWith(STORE)) {
        try {
          add(users, line.split("\\s+", COLUMNS));
        } catch (IllegalArgumentException e) {
          throw new IllegalArgumentException(
              "%s:%d: %s".formatted(source, i + 1, e.getMessage()), e);
        }
      }
    }
    return users;
  }

  private static void add(Map<String, StoreUser> users, String[] columns) {
    if (columns.length < COLUMNS || !columns[2].startsWith(SUBJECT)) {
      throw new IllegalArgumentException(
          "a user of the stores is 'store:<rights> <name> subject:<name of its certificate>'");
    }
    if (!columns[1].matches(NAME)) {
      throw new IllegalArgumentException(
          "a name has 1 to 64 characters A-Z a-z 0-9 . _ @ -: '%s'".formatted(columns[1]));
    }
    StoreUser user = StoreUser.parse(columns[1], columns[0].substring(STORE.length()));
    X500Principal subject = new X500Principal(columns[2].substring(SUBJECT.length()));
    StoreUser other = users.put(canonical(subject), user);
    if (other != null) {
      throw new IllegalArgumentException(
          "'%s' has this certificate already".formatted(other.name()));
    }
  }
}
