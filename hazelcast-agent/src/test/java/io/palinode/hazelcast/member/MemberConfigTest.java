package io.palinode.hazelcast.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class MemberConfigTest {
  private static final String REQUIRED =
      "kafka: a:1\ndata: /d\nmembers: 127.0.0.1:5701, 127.0.0.2:5701\n";

  @Test
  void theIndexOfAnAddressIsItsNode() {
    MemberConfig config = MemberConfig.parse("f", REQUIRED);
    assertThat(config.nodeOf(new InetSocketAddress("127.0.0.2", 5701))).isEqualTo(1);
    assertThatThrownBy(() -> config.nodeOf(new InetSocketAddress("127.0.0.2", 5702)))
        .hasMessageContaining("'members' must list this member")
        .hasMessageContaining("127.0.0.2:5702");
  }

  @Test
  void allMapsAreWatchedButThoseOfHazelcast() {
    MemberConfig config = MemberConfig.parse("f", REQUIRED);
    assertThat(config.maps().test("locks")).isTrue();
    assertThat(config.maps().test("__sql.catalog")).isFalse();
    MemberConfig some = MemberConfig.parse("f", REQUIRED + "maps: locks, cart*\n");
    assertThat(some.maps().test("locks")).isTrue();
    assertThat(some.maps().test("carts")).isTrue();
    assertThat(some.maps().test("locks2")).isFalse();
  }

  @Test
  void errorsNameTheFileTheKeyAndTheRule() {
    assertThatThrownBy(() -> MemberConfig.parse("f", "kafka: a:1\ndata: /d\n"))
        .hasMessage("f: 'members' is needed");
    assertThatThrownBy(() -> MemberConfig.parse("f", "kafka: a:1\ndata: /d\nmembers: 127.0.0.1\n"))
        .hasMessageContaining("f: 'members' must have known addresses such as 10.0.0.1:5701");
    assertThatThrownBy(
            () ->
                MemberConfig.parse("f", "kafka: a:1\ndata: /d\nmembers: 127.0.0.1:1,127.0.0.1:1\n"))
        .hasMessageContaining("f: 'members' must have each address once");
    assertThatThrownBy(() -> MemberConfig.parse("f", REQUIRED + "maps: a*b\n"))
        .hasMessageContaining("f: 'maps' cannot be read: a*b");
    assertThatThrownBy(() -> MemberConfig.parse("f", REQUIRED + "map: a\n"))
        .hasMessageContaining("f: unknown key 'map'");
  }
}
