package io.palinode.voldemort;

import static io.palinode.voldemort.TestNodes.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.palinode.detector.binding.StoreKey;
import io.palinode.hvc.Hvc;
import io.palinode.store.order.FenceState;
import io.palinode.voldemort.protocol.ErrorCode;
import io.palinode.voldemort.protocol.Siblings;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** Callers, and the results of their requests, for tests of one node. */
final class NodeRequests {
  private NodeRequests() {}

  static Caller inEpoch(long epoch) {
    return caller(null, epoch, "alice", null);
  }

  static Caller caller(
      @Nullable Hvc hvc, @Nullable Long epoch, String client, @Nullable Integer origin) {
    return new Caller(hvc, epoch, client, origin);
  }

  static RefusedException refused(ThrowingCallable request) {
    return catchThrowableOfType(RefusedException.class, request);
  }

  static void assertFenced(ThrowingCallable request, FenceState expected) {
    RefusedException refused = refused(request);
    assertThat(refused.code()).isEqualTo(ErrorCode.UNREACHABLE_STORE);
    assertThat(refused.fence()).isEqualTo(expected);
  }

  /** The values of a key in its stored record, also while the node is paused. */
  static List<String> valuesOf(StoreNode node, StoreKey key) {
    return texts(Siblings.decode(node.read(List.of(key)).get(0).siblings()));
  }
}
