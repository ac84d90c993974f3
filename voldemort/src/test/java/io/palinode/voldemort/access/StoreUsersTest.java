package io.palinode.voldemort.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreUsersTest {
  private static final String ALICE = StoreUsers.canonical(new X500Principal("O=x, CN=alice"));

  @TempDir Path folder;
  private final AtomicLong nanos = new AtomicLong();

  @Test
  void aSubjectHasTheRightsOfItsLine() throws IOException {
    StoreUsers users =
        users(
            "# a comment",
            "admin root sha256:" + "0".repeat(64),
            "store:read,past alice subject:O=x,CN=alice");
    StoreUser alice = users.of(ALICE);
    assertThat(alice.may(Right.READ, "carts")).isTrue();
    assertThat(alice.may(Right.PAST, "")).isTrue();
    assertThat(alice.may(Right.WRITE, "carts")).isFalse();
    assertThat(alice.may(Right.NODE, "carts")).isFalse();
    assertThat(users.of(StoreUsers.canonical(new X500Principal("CN=bob"))).isUnknown()).isTrue();
    assertThat(new StoreUsers(null, nanos::get).of("any").may(Right.REPLICA, "carts")).isTrue();
  }

  @Test
  void aRightMayBeOfOneStore() throws IOException {
    StoreUser alice =
        users("store:read,write:carts,write:a:b,past:carts alice subject:O=x,CN=alice").of(ALICE);
    assertThat(alice.may(Right.READ, "orders")).isTrue();
    assertThat(alice.may(Right.WRITE, "carts")).isTrue();
    assertThat(alice.may(Right.WRITE, "a:b")).isTrue();
    assertThat(alice.may(Right.WRITE, "orders")).isFalse();
    assertThat(alice.may(Right.WRITE, "cart")).isFalse();
    assertThat(alice.may(Right.PAST, "carts")).isTrue();
    assertThat(alice.may(Right.PAST, "")).as("of all stores").isFalse();
    assertThat(alice.may(Right.REPLICA, "carts")).isFalse();
  }

  @Test
  void theRightOfANodeIsAllRightsAndAnyClient() throws IOException {
    StoreUser node = users("store:node n1 subject:O=x,CN=alice").of(ALICE);
    for (Right right : Right.values()) {
      assertThat(node.may(right, "")).isTrue();
      assertThat(node.may(right, "carts")).isTrue();
    }
    assertThat(node.owns("bob")).isTrue();
  }

  @Test
  void aFileThatCannotBeUsedChangesNothing() throws IOException {
    StoreUsers users = users("store:read alice subject:O=x,CN=alice");
    Files.writeString(folder.resolve("users"), "store:fly alice subject:O=x,CN=alice\n");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(users.of(ALICE).may(Right.READ, "carts")).isTrue();
    Files.writeString(folder.resolve("users"), "");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(users.of(ALICE).isUnknown()).isTrue();
  }

  @Test
  void aRefusalNamesFileAndLine() {
    Path file = folder.resolve("users");
    assertThatThrownBy(() -> users("", "store:fly alice subject:CN=a"))
        .hasMessage(
            file + ":2: rights in the store are some of read, write, past, replica, node: 'fly'");
    assertThatThrownBy(() -> users("store:node:carts n1 subject:CN=a"))
        .hasMessage(file + ":1: the right 'node' is of all stores: 'node:carts'");
    assertThatThrownBy(() -> users("store:read: alice subject:CN=a"))
        .hasMessage(file + ":1: a right for one store is 'read:<store>': 'read:'");
    assertThatThrownBy(() -> users("store:read alice sha256:00"))
        .hasMessageContaining("subject:<name of its certificate>");
    assertThatThrownBy(() -> users("store:read a/b subject:CN=a"))
        .hasMessageContaining("a name has 1 to 64 characters");
    assertThatThrownBy(() -> users("store:read a subject:CN=a", "store:past b subject:cn=A"))
        .hasMessageContaining("'a' has this certificate already");
    assertThatThrownBy(() -> users("store:read a subject:nonsense"))
        .hasMessageStartingWith(file + ":1: ");
  }

  private StoreUsers users(String... lines) throws IOException {
    return new StoreUsers(Files.write(folder.resolve("users"), List.of(lines)), nanos::get);
  }
}
