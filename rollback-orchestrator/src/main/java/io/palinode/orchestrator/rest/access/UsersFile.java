package io.palinode.orchestrator.rest.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The users of a file that may change. Thread-safe. */
public final class UsersFile {
  private static final Logger log = LoggerFactory.getLogger(UsersFile.class);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long BYTES_MAX = 1 << 20;

  private final Path file;
  private final LongSupplier nanoTime;
  private Users users;
  private String stamp;
  private long lookedNanos;

  /** Throws {@link UsersException}. */
  UsersFile(Path file, LongSupplier nanoTime) {
    this.file = file;
    this.nanoTime = nanoTime;
    this.lookedNanos = nanoTime.getAsLong();
    this.stamp = stamp();
    this.users = read();
    if (users.isEmpty()) {
      throw new UsersException(
          "there is no user in %s: add one with 'palinode user add'".formatted(file));
    }
  }

  /** The credential of a token, which it does not contain. */
  public static String ofToken(String token) {
    return Users.TOKEN + Tokens.hash(token);
  }

  /** The credential of a certificate with this subject, such as {@code CN=alice,O=Example}. */
  public static String ofSubject(String subject) {
    return Users.SUBJECT + subject;
  }

  /**
   * Adds a user to a file, or makes the file. Throws {@link UsersException}; then changes nothing.
   */
  public static void add(Path file, Role role, String name, String credential) {
    String line = "%s %s %s".formatted(role.label(), name, credential);
    try {
      List<String> lines = new ArrayList<>();
      if (Files.exists(file)) {
        lines.addAll(Files.readAllLines(file));
      }
      lines.add(line);
      Users unused = Users.parse(lines, file.toString());
      Path folder = file.toAbsolutePath().getParent();
      // Only its owner can read a temporary file.
      Path written = Files.createTempFile(folder, "users", ".new");
      Files.write(written, lines);
      Files.move(written, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UsersException("cannot write the users file %s: %s".formatted(file, e));
    }
  }

  /**
   * The file is read again at most once per second; one that cannot be read changes nothing. A file
   * without users refuses everyone.
   */
  synchronized Users users() {
    long now = nanoTime.getAsLong();
    if (now - lookedNanos < LOOK_NANOS) {
      return users;
    }
    lookedNanos = now;
    String present = stamp();
    if (!present.equals(stamp)) {
      stamp = present;
      try {
        users = read();
        log.info("users=READ file={}", file);
      } catch (UsersException e) {
        log.warn("users=KEPT: {}", e.getMessage());
      }
    }
    return users;
  }

  private Users read() {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new UsersException("a users file has at most 1 MiB: " + file);
      }
      return Users.parse(Files.readAllLines(file), file.toString());
    } catch (NoSuchFileException e) {
      throw new UsersException(
          "there is no users file %s: make one with 'palinode user add'".formatted(file));
    } catch (IOException e) {
      throw new UsersException("cannot read the users file %s: %s".formatted(file, e));
    }
  }

  private String stamp() {
    try {
      return Files.getLastModifiedTime(file) + " " + Files.size(file);
    } catch (IOException absent) {
      return "";
    }
  }
}
