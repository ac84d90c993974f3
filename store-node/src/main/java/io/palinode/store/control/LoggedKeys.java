package io.palinode.store.control;

import com.google.protobuf.ByteString;
import io.palinode.detector.binding.StoreKey;
import io.palinode.store.binding.UndoLog.KeyRecord;
import io.palinode.store.binding.UndoLog.Replica;
import io.palinode.wire.v1.KeyVersions;
import org.jspecify.annotations.Nullable;

/** Keys and records as the control log has them. */
final class LoggedKeys {
  private LoggedKeys() {}

  static io.palinode.wire.v1.StoreKey of(StoreKey key, @Nullable Replica here) {
    return io.palinode.wire.v1.StoreKey.newBuilder()
        .setStore(key.store())
        .setKey(ByteString.copyFrom(key.key()))
        .setDigest(here == null ? 0 : here.digest())
        .setReplicas(here == null ? 0 : here.nodes().size())
        .setWeight(here == null ? 0 : here.weight())
        .build();
  }

  static KeyVersions of(KeyRecord found) {
    return KeyVersions.newBuilder()
        .setStore(found.key().store())
        .setKey(ByteString.copyFrom(found.key().key()))
        .setSiblings(ByteString.copyFrom(found.siblings()))
        .setPast(ByteString.copyFrom(found.past()))
        .build();
  }
}
