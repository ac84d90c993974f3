package io.palinode.orchestrator.rest.access;

import io.palinode.tls.FollowedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The users of a file that may change. Thread-safe. */
public final class UsersFile {
  private final FollowedFile<Users> file;

  /** Throws {@link UsersException}. */
  UsersFile(Path file, LongSupplier nanoTime) {
    try {
      this.file = FollowedFile.open(file, nanoTime, lines -> Users.parse(lines, file.toString()));
    } catch (IllegalArgumentException e) {
      throw new UsersException(String.valueOf(e.getMessage()));
    }
    if (users().isEmpty()) {
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
    add(file, "%s %s %s".formatted(role.label(), name, credential), lines -> {});
  }

  /**
   * The same for a line of any kind of user.
   *
   * @param check throws {@link IllegalArgumentException} to refuse the lines
   */
  public static void add(Path file, String line, Consumer<List<String>> check) {
    try {
      List<String> lines = new ArrayList<>();
      if (Files.exists(file)) {
        lines.addAll(Files.readAllLines(file));
      }
      lines.add(line);
      Users unused = Users.parse(lines, file.toString());
      check.accept(lines);
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
  Users users() {
    return file.value();
  }
}
