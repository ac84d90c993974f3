package io.palinode.simulation.store;

import io.palinode.detector.binding.StoreKey;
import io.palinode.detector.binding.Version;
import io.palinode.detector.binding.WriteEvent;
import io.palinode.hvc.ClockDriftException;
import io.palinode.hvc.Hvc;
import io.palinode.hvc.HvcCodec;
import io.palinode.store.engine.StorageEngine.Change;
import io.palinode.store.engine.StorageException;
import io.palinode.store.node.NodeBinding;
import io.palinode.store.node.NodeParts;
import io.palinode.store.order.FenceState;
import io.palinode.store.past.LocalStore;
import io.palinode.voldemort.ResponseContexts;
import io.palinode.voldemort.protocol.Pb0.RequestContext;
import io.palinode.voldemort.protocol.Pb0.ResponseContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node of the store in which the last write wins. */
final class LastWriteWinsNode extends NodeBinding implements SimulatedNode {
  private final NodeParts parts;
  private final ResponseContexts contexts =
      new ResponseContexts(this, ResponseContexts.SEVERAL_REQUESTS);
  private final List<WriteListener> listeners = new ArrayList<>();

  LastWriteWinsNode(NodeParts parts) {
    super(parts);
    this.parts = parts;
  }

  @Override
  public NodeBinding binding() {
    return this;
  }

  @Override
  public void listen(WriteListener listener) {
    listeners.add(listener);
  }

  @Override
  public Answer answer(Request request) {
    parts.order().writeLock().lock();
    try {
      RequestContext by = request.by();
      FenceState refusal = fence().refusal(by.hasEpoch() ? by.getEpoch() : null);
      if (refusal != null) {
        return refused(by, Answer.Kind.REFUSED, "the fence refuses it", refusal);
      }
      return request.operation() instanceof Operation.Put put
          ? put(request, put)
          : get(request, (Operation.Get) request.operation());
    } catch (StorageException | ClockDriftException e) {
      return refused(request.by(), Answer.Kind.REFUSED, String.valueOf(e.getMessage()), null);
    } finally {
      parts.order().writeLock().unlock();
    }
  }

  private Answer get(Request request, Operation.Get get) {
    StoreKey key = key(get);
    List<Version> found = siblings(key);
    long hlc = receive(request.by()).own();
    parts.accesses().read(hlc, key.store(), key.key(), request.by().getClient());
    return new Answer(found, null, served(clock().last(), 0, request.by()));
  }

  private Answer put(Request request, Operation.Put put) {
    StoreKey key = key(put);
    LocalStore store = parts.stores().of(key);
    byte[] old = parts.stores().record(key);
    List<Version> left = store.rules().merge(store.versions(old), List.of(put.version()));
    if (store.versions(old).equals(left)) {
      long hlc = receive(request.by()).own();
      if (!request.isCopyAt(node())) {
        parts.accesses().read(hlc, key.store(), key.key(), request.by().getClient());
      }
      return refused(request.by(), Answer.Kind.OBSOLETE, "a later write is here", null);
    }
    Hvc before = clock().tick();
    Hvc after = receive(request.by());
    long hlc = after.own();
    parts.promise().coverWrite(hlc);
    store.log(hlc, key.key(), old);
    parts.stores().commit(new Change(key.store(), key.key(), store.record(left)));
    parts.writers().wrote(hlc, writer(request.by()));
    boolean isCopy = request.isCopyAt(node());
    parts.accesses().put(hlc, key, put.version().clock(), writer(request.by()), isCopy);
    WriteEvent event =
        new WriteEvent(
            key, left, put.version(), before, after, writer(request.by()), origin(request.by()));
    listeners.stream()
        .filter(listener -> listener.watches(key))
        .forEach(listener -> listener.written(event));
    return new Answer(List.of(), null, served(after, hlc, request.by()));
  }

  /** Who repairs a version has not written it. */
  private static String writer(RequestContext by) {
    return by.hasReadAt() ? "" : by.getClient();
  }

  private int origin(RequestContext by) {
    if (by.hasOrigin() && (by.getOrigin() != node() || !by.hasReadAt())) {
      return by.getOrigin();
    }
    return by.hasReadAt() ? by.getReadAt() : node();
  }

  private Hvc receive(RequestContext by) {
    return by.hasHvc() ? clock().tick(HvcCodec.decode(by.getHvc().toByteArray())) : clock().tick();
  }

  private ResponseContext served(Hvc reading, long acceptedAt, RequestContext by) {
    return contexts.served(reading, fence().epoch(), acceptedAt, by.hasEpoch());
  }

  private Answer refused(
      RequestContext by, Answer.Kind kind, String why, @Nullable FenceState fence) {
    Long epoch = by.hasEpoch() ? Long.valueOf(by.getEpoch()) : null;
    return new Answer(
        List.of(),
        new Answer.Refusal(kind, why),
        contexts.refused(clock().last(), fence, by.getClient(), epoch));
  }

  private static StoreKey key(Operation operation) {
    return new StoreKey(SimulatedStore.NAME, operation.key().getBytes(StandardCharsets.UTF_8));
  }
}
