package io.palinode.orchestrator.rest.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsersTest {
  private static final String HASH = "0123456789abcdef".repeat(4);

  @TempDir Path folder;

  @Test
  void aLineIsACredentialOfAUser() {
    String token = Tokens.random();
    Users users =
        Users.parse(
            List.of(
                "# role name credential",
                "",
                "  viewer\tbob  sha256:" + Tokens.hash(token),
                "admin carol subject:CN=Carol King,O=Example"),
            "users");
    assertThat(users.withToken(token)).isEqualTo(new User("bob", Role.VIEWER));
    assertThat(users.withToken(token + " ")).isNull();
    assertThat(users.withToken("")).isNull();
    assertThat(users.withSubject(new X500Principal("CN=Carol King, O=Example")))
        .isEqualTo(new User("carol", Role.ADMIN));
    assertThat(users.withSubject(new X500Principal("CN=Carol King"))).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          viewer bob                  | a user is '<role> <name> <credential>'
          owner bob sha256:H          | a role is one of viewer, editor, operator, admin: 'owner'
          anyone bob sha256:H         | a role is one of viewer, editor, operator, admin: 'anyone'
          viewer b/b sha256:H         | a name has 1 to 64 characters A-Z a-z 0-9 . _ @ -: 'b/b'
          viewer bob H                | a credential is 'sha256:' and 64 hexadecimal digits
          viewer bob sha256:12        | a credential is 'sha256:' and 64 hexadecimal digits
          viewer bob subject:Carol    | improperly specified input name: Carol
          viewer bob sha256:A         | 'alice' has this credential already
          """)
  void aBadLineIsRefusedWithItsNumber(String line, String reason) {
    String known = "f".repeat(64);
    List<String> lines =
        List.of(
            "viewer alice sha256:" + known,
            line.replaceAll("sha256:H$", "sha256:" + HASH).replaceAll(":A$", ":" + known));
    assertThatThrownBy(() -> Users.parse(lines, "users"))
        .isInstanceOf(UsersException.class)
        .hasMessageStartingWith("users:2: " + reason);
  }

  @Test
  void aFileWithoutUsersIsRefused() throws IOException {
    Path empty = Files.writeString(folder.resolve("empty"), "# none");
    assertThatThrownBy(() -> new UsersFile(empty, () -> 0))
        .hasMessage("there is no user in %s: add one with 'palinode user add'".formatted(empty));
    assertThatThrownBy(() -> new UsersFile(folder.resolve("absent"), () -> 0))
        .hasMessageContaining("absent: make one with 'palinode user add'");
  }

  /** As a file that becomes readable by a change of its owner. */
  @Test
  void aFileThatCouldNotBeReadIsReadAgainAlthoughItsTimeAndSizeStay() throws IOException {
    AtomicLong now = new AtomicLong();
    Path file = Files.writeString(folder.resolve("users"), "admin alice sha256:" + HASH);
    UsersFile users = new UsersFile(file, now::get);
    String token = Tokens.random();
    String removed = "viewer bob sha256:" + Tokens.hash(token);
    FileTime time = FileTime.from(Instant.now().plusSeconds(60));
    Files.writeString(file, "x".repeat(removed.length()));
    Files.setLastModifiedTime(file, time);
    now.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(users.users().withToken(token)).isNull();
    Files.writeString(file, removed);
    Files.setLastModifiedTime(file, time);
    now.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(users.users().withToken(token)).isEqualTo(new User("bob", Role.VIEWER));
  }

  @Test
  void addedUsersAreReadWithinASecond() throws IOException {
    Path file = folder.resolve("users");
    String first = Tokens.random();
    UsersFile.add(file, Role.VIEWER, "bob", UsersFile.ofToken(first));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(Files.readString(file)).doesNotContain(first);
    AtomicLong nanos = new AtomicLong();
    UsersFile users = new UsersFile(file, nanos::get);
    String second = Tokens.random();
    UsersFile.add(file, Role.ADMIN, "carol", UsersFile.ofToken(second));
    assertThat(users.users().withToken(second)).isNull();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(users.users().withToken(second)).isEqualTo(new User("carol", Role.ADMIN));
    assertThat(users.users().withToken(first)).isEqualTo(new User("bob", Role.VIEWER));
    Files.writeString(file, "# none is left");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(users.users().withToken(first)).as("the last user is removed").isNull();
  }

  @Test
  void aRefusedUserChangesNoFile() throws IOException {
    Path file = folder.resolve("users");
    assertThatThrownBy(() -> UsersFile.add(file, Role.VIEWER, "b b", UsersFile.ofToken("x")))
        .isInstanceOf(UsersException.class);
    assertThat(file).doesNotExist();
    UsersFile.add(file, Role.VIEWER, "bob", UsersFile.ofToken("x"));
    String before = Files.readString(file);
    assertThatThrownBy(() -> UsersFile.add(file, Role.ADMIN, "eve", UsersFile.ofToken("x")))
        .hasMessageContaining("users:2: 'bob' has this credential already");
    assertThat(Files.readString(file)).isEqualTo(before);
  }

  @Test
  void aFlippedBitGivesNoTokenAnotherRole() throws IOException {
    Path file = folder.resolve("users");
    Map<String, Role> roles = new LinkedHashMap<>();
    for (Role role : List.of(Role.VIEWER, Role.EDITOR, Role.OPERATOR, Role.ADMIN)) {
      String token = Tokens.random();
      UsersFile.add(file, role, "user" + roles.size(), UsersFile.ofToken(token));
      roles.put(token, role);
    }
    byte[] whole = Files.readAllBytes(file);
    int refused = 0;
    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, flipped);
      try {
        Users users = new UsersFile(file, () -> 0).users();
        for (Map.Entry<String, Role> token : roles.entrySet()) {
          User user = users.withToken(token.getKey());
          assertThat(user == null ? token.getValue() : user.role())
              .as("bit %d", bit)
              .isEqualTo(token.getValue());
        }
      } catch (UsersException named) {
        assertThat(named.getMessage()).as("bit %d", bit).contains(file.toString());
        refused++;
      }
    }
    System.out.printf("users file: flips %d, refused %d%n", whole.length * 8, refused);
    assertThat(refused).isGreaterThan(whole.length);
  }
}
