package io.palinode.voldemort.client;

import com.google.protobuf.UnsafeByteOperations;
import io.palinode.voldemort.client.link.Answer;
import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.protocol.Versioned;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Brings replicas to what a read found elsewhere. Thread-safe; waits for nothing.
 *
 * <p>What is sent is the version as it is: its value, its clock with the timestamp, and its first
 * acceptor, if an asked node has returned that. The message names the node at which it was read, so
 * that no node takes it for a write of this client.
 *
 * <p>Answers of different epochs are not compared: between them the store may have been rolled
 * back.
 */
final class ReadRepair {
  private final String store;
  private final Replicas replicas;

  ReadRepair(String store, Replicas replicas) {
    this.store = store;
    this.replicas = replicas;
  }

  /** To be asked before a read is sent, for {@link #start}. */
  long beforeRead(byte[] key) {
    return replicas.beforeRead(store, UnsafeByteOperations.unsafeWrap(key));
  }

  /** Sends each node that has answered what it lacks of what all answers come to. */
  void start(Call call, byte[] key, Map<Integer, Answer.Found> answers, long beforeRead) {
    Long epoch = commonEpoch(answers);
    if (epoch == null) {
      return;
    }
    Map<Integer, List<Versioned>> found = new LinkedHashMap<>();
    answers.forEach((node, answer) -> found.put(node, answer.versions()));
    for (MissingVersion missing : MissingVersion.in(found)) {
      Versioned version = missing.version();
      int origin = version.origin() == null ? Ask.NO_ORIGIN : version.origin();
      replicas.repair(
          missing.node(),
          Ask.put(store, key, version).asRepairOf(origin, missing.readAt(), version.proof()),
          call,
          epoch,
          beforeRead);
    }
  }

  /** Null when the answers are of several. */
  private static @Nullable Long commonEpoch(Map<Integer, Answer.Found> answers) {
    List<Long> epochs = answers.values().stream().map(Answer.Found::epoch).distinct().toList();
    return epochs.size() == 1 ? epochs.get(0) : null;
  }
}
