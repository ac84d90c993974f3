package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.bytes;
import static io.palinode.voldemort.TestNodes.key;
import static io.palinode.voldemort.TestNodes.vector;
import static io.palinode.voldemort.TestNodes.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.palinode.store.affected.Access;
import io.palinode.store.affected.Access.Kind;
import io.palinode.store.affected.Trace;
import io.palinode.store.past.Accesses;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AccessesTest {
  private static final Caller ALICE = new Caller(null, null, "alice", null);
  private static final Caller COPY = new Caller(null, null, "alice", 2);

  private final StoreNode node = TestNodes.inMemory(TestNodes.clock());

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void nothingIsNotedBeforeItIsAskedForNorAfterwards() throws RefusedException {
    node.writes().put(key("k"), version("v", 1), ALICE);
    assertThat(node.accesses(0)).isEqualTo(new Trace(0, Long.MAX_VALUE, List.of()));
    node.followAccesses(true);
    long begun = node.accesses(0).since();
    assertThat(begun).isEqualTo(node.clock().last().own());
    node.reads().get(key("k"), ALICE);
    node.followAccesses(true);
    assertThat(node.accesses(0).since()).as("it continues").isEqualTo(begun);
    assertThat(kinds()).containsExactly(Kind.READ);
    node.followAccesses(false);
    assertThat(node.accesses(0)).isEqualTo(new Trace(0, Long.MAX_VALUE, List.of()));
  }

  @Test
  void everyAnswerToAClientIsARead() throws RefusedException {
    node.followAccesses(true);
    long read = node.reads().get(key("k"), ALICE).hvc().own();
    long both =
        node.reads()
            .getAll(TestNodes.EVERYWHERE, List.of(bytes("k"), bytes("l")), ALICE)
            .hvc()
            .own();
    node.writes().put(key("k"), version("v", 2), ALICE);
    assertThatThrownBy(() -> node.writes().put(key("k"), version("v", 1), ALICE))
        .isInstanceOf(RefusedException.class);
    assertThatThrownBy(() -> node.writes().put(key("k"), version("v", 1), COPY))
        .isInstanceOf(RefusedException.class);
    assertThat(kinds())
        .as("who sends a copy does not ask what else is there")
        .containsExactly(Kind.READ, Kind.READ, Kind.READ, Kind.WRITE, Kind.READ);
    List<Access> accesses = node.accesses(0).accesses();
    assertThat(accesses.get(0)).isEqualTo(Access.read(read, accesses.get(3).key(), "alice"));
    assertThat(accesses.subList(1, 3)).extracting(Access::hlc).containsOnly(both);
    assertThat(accesses.get(1).key()).isNotEqualTo(accesses.get(2).key());
  }

  @Test
  void aRoutedRequestHasNoClient() throws RefusedException {
    node.followAccesses(true);
    Caller router = new Caller(null, null, Caller.ROUTER + 2, null);
    node.writes().put(key("k"), version("v", 1), router);
    var unused = node.reads().get(key("k"), router);
    assertThat(node.accesses(0).accesses()).extracting(Access::client).containsExactly("", "");
  }

  @Test
  void copiesOfAWriteHaveItsNameAndOtherWritesOthers() throws RefusedException {
    node.followAccesses(true);
    long put = node.writes().put(key("k"), version("v", 1), ALICE).acceptedAt();
    node.writes().put(key("k"), version("v", 2), ALICE);
    StoreNode other = TestNodes.inMemory(TestNodes.clock());
    other.followAccesses(true);
    other.writes().put(key("k"), version("v", 1), COPY);
    Access written = node.accesses(0).accesses().get(0);
    Access copied = other.accesses(0).accesses().get(0);
    other.close();
    assertThat(written.kind()).isEqualTo(Kind.WRITE);
    assertThat(written.hlc()).isEqualTo(put);
    assertThat(copied.kind()).isEqualTo(Kind.COPY);
    assertThat(copied.key()).isEqualTo(written.key());
    assertThat(copied.write()).isEqualTo(written.write()).isNotEqualTo(0);
    assertThat(node.accesses(0).accesses().get(1).write()).isNotEqualTo(written.write());
  }

  @Test
  void aDeleteIsAWriteAlsoWhenItFindsNothing() throws RefusedException {
    node.followAccesses(true);
    node.writes().delete(key("k"), vector(1), ALICE);
    node.writes().put(key("k"), version("v", 1), ALICE);
    node.writes().delete(key("k"), vector(1), ALICE);
    assertThat(kinds()).containsExactly(Kind.WRITE, Kind.WRITE, Kind.WRITE);
    List<Access> accesses = node.accesses(0).accesses();
    assertThat(accesses.get(0).write())
        .isEqualTo(accesses.get(2).write())
        .isNotEqualTo(accesses.get(1).write());
  }

  @Test
  void onlyAccessesAfterATimeAreReturned() throws RefusedException {
    node.followAccesses(true);
    long first = node.reads().get(key("k"), ALICE).hvc().own();
    node.reads().get(key("k"), ALICE);
    assertThat(node.accesses(first).accesses()).hasSize(1);
    assertThat(node.accesses(first - 1).accesses()).hasSize(2);
  }

  @Test
  void ofWhatIsForgottenItIsSaidSinceWhenAllIsKnown() {
    Accesses accesses = new Accesses();
    AtomicLong hlc = new AtomicLong(1);
    accesses.begin(hlc::get);
    assertThat(accesses.since(0, 0).since()).isEqualTo(1);
    for (int i = 0; i < Accesses.ACCESSES_MAX + 3; i++) {
      accesses.read(hlc.incrementAndGet(), "s", bytes("k"), "alice");
    }
    Trace trace = accesses.since(0, 0);
    assertThat(trace.since()).isEqualTo(4);
    assertThat(trace.accesses()).hasSize(Accesses.ACCESSES_MAX);
    assertThat(trace.accesses().get(0).hlc()).isEqualTo(5);
  }

  @Test
  void tooManyClientsBeginANewPage() {
    Accesses accesses = new Accesses();
    accesses.begin(() -> 1);
    for (int i = 0; i <= Accesses.CLIENTS_MAX; i++) {
      accesses.read(10 + i, "s", bytes("k"), "client-" + i);
    }
    Trace trace = accesses.since(0, 0);
    assertThat(trace.since()).isEqualTo(10 + Accesses.CLIENTS_MAX - 1);
    assertThat(trace.accesses())
        .extracting(Access::client)
        .containsExactly("client-" + Accesses.CLIENTS_MAX);
  }

  private List<Kind> kinds() {
    return node.accesses(0).accesses().stream().map(Access::kind).toList();
  }
}
