package io.palinode.voldemort.client;

import io.palinode.voldemort.client.link.Answer;
import io.palinode.voldemort.client.link.Ask;
import io.palinode.voldemort.client.session.InsufficientNodesException;
import io.palinode.voldemort.client.session.NodeException;
import io.palinode.voldemort.client.session.ObsoleteVersionException;
import io.palinode.voldemort.client.session.RefusedByFence;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * One put or delete: the first replica in order that accepts it decides, then the same version goes
 * to all the others at once. Ends when the preferred number have it; or the required number, and
 * all others have answered, or failed, or the time for preferred ones is over. Copies that are
 * still on their way stay in flight.
 */
final class ReplicatedWrite {
  private final Replicas replicas;
  private final String operation;
  private final Supplier<Quorum> quorum;
  private final IntFunction<Ask<Answer.Accepted>> askAt;

  /**
   * @param quorum of writes; asked when a node has accepted, for its epoch may want more than the
   *     one before
   * @param askAt the request when this node is the first
   */
  ReplicatedWrite(
      Replicas replicas,
      String operation,
      Supplier<Quorum> quorum,
      IntFunction<Ask<Answer.Accepted>> askAt) {
    this.replicas = replicas;
    this.operation = operation;
    this.quorum = quorum;
    this.askAt = askAt;
  }

  /**
   * @param node which accepted first
   * @param acceptedAt its HLC
   * @param changed whether any node that answered had something to change
   */
  record Outcome(int node, long acceptedAt, boolean changed) {}

  /**
   * Throws {@link ObsoleteVersionException} from the first replica that answers, {@link
   * InsufficientNodesException} or {@link RefusedByFence}.
   */
  Outcome run(Call call, List<Integer> order) {
    replicas.awaitRoom(order);
    Map<Integer, String> failures = new LinkedHashMap<>();
    for (int node : order) {
      Ask<Answer.Accepted> ask = askAt.apply(node);
      try {
        Answer.Accepted accepted = Replicas.await(replicas.ask(node, ask, call));
        return replicate(call, order, node, accepted, failures);
      } catch (NodeException e) {
        failures.put(node, e.reason());
      }
    }
    throw new InsufficientNodesException(operation, quorum.get().required(), 0, failures);
  }

  private Outcome replicate(
      Call call,
      List<Integer> order,
      int first,
      Answer.Accepted accepted,
      Map<Integer, String> failures) {
    // Also those that failed just now: one may have timed out and be back.
    List<Integer> others = order.stream().filter(node -> node != first).toList();
    Ask<Answer.Accepted> copy = askAt.apply(first).asCopyOf(first, accepted.proof());
    Gather<Answer.Accepted> gather =
        new Gather<Answer.Accepted>(
                operation, quorum.get(), node -> replicas.copy(node, copy, call, accepted.epoch()))
            .startingWith(Map.of(first, accepted), failures);
    Map<Integer, Answer.Accepted> answers =
        Replicas.await(replicas.start(gather, others, others.size()));
    boolean changed = answers.values().stream().anyMatch(Answer.Accepted::changed);
    return new Outcome(first, accepted.acceptedAt(), changed);
  }
}
