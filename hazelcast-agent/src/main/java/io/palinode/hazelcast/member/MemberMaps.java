package io.palinode.hazelcast.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.partition.InternalPartitionService;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.map.impl.MapService;
import com.hazelcast.map.impl.operation.MapOperation;
import io.palinode.hazelcast.node.Maps;
import io.palinode.hazelcast.record.EntryForm;
import io.palinode.hazelcast.record.EntryKeys;
import io.palinode.hazelcast.record.EntryValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** The maps of a Hazelcast member. */
final class MemberMaps implements Maps {
  private final MemberConfig config;
  private final Node hazelcast;
  private final InternalPartitionService partitions;
  private final PartitionThreads threads;
  private final EntryText text;

  MemberMaps(MemberConfig config, Node hazelcast, EntryText text) {
    this.config = config;
    this.hazelcast = hazelcast;
    this.partitions = hazelcast.getPartitionService();
    this.threads = new PartitionThreads(hazelcast);
    this.text = text;
  }

  @Override
  public void awaitBegun() {
    threads.drain();
  }

  @Override
  public int partitions() {
    return partitions.getPartitionCount();
  }

  @Override
  public int owner(int partition) {
    PartitionReplica owner = partitions.getPartition(partition, false).getReplica(0);
    Member member = owner == null ? null : hazelcast.getClusterService().getMember(owner.uuid());
    return member == null ? -1 : config.members().indexOf(member.getSocketAddress());
  }

  @Override
  public void write(List<Entry> entries) {
    Queue<CompletableFuture<Object>> written = new ConcurrentLinkedQueue<>();
    Map<Integer, List<Entry>> byPartition =
        entries.stream().collect(Collectors.groupingBy(Entry::partition));
    List<CompletableFuture<Void>> begun = new ArrayList<>();
    byPartition.forEach(
        (partition, some) ->
            begun.add(
                threads.ended(
                    partition,
                    () ->
                        some.stream()
                            .filter(each -> each.isDue().getAsBoolean())
                            .forEach(each -> written.add(begin(each))))));
    PartitionThreads.awaitAll(begun);
    PartitionThreads.awaitAll(List.copyOf(written));
  }

  /** In the thread of the entry's partition. */
  private CompletableFuture<Object> begin(Entry entry) {
    if (!partitions.getPartition(entry.partition(), false).isLocal()) {
      throw new IllegalStateException("partition %d has moved".formatted(entry.partition()));
    }
    return hazelcast
        .getNodeEngine()
        .getOperationService()
        .createInvocationBuilder(MapService.SERVICE_NAME, operation(entry), entry.partition())
        // No other member takes it.
        .setTryCount(1)
        .invoke();
  }

  private MapOperation operation(Entry entry) {
    String map = EntryKeys.map(entry.key());
    Data key = text.toKey(EntryKeys.text(entry.key()), entry.header());
    EntryValue value = entry.value();
    if (value == null) {
      return new RestoredDelete(map, key);
    }
    long ends = value.form().endsAtMillis();
    // A millisecond at least: 0 has no end.
    long ttlMillis = ends == EntryForm.NEVER ? 0 : Math.max(1, ends - System.currentTimeMillis());
    return new RestoredSet(
        map, key, text.toValue(value.bytes(), value.form().valueType()), ttlMillis);
  }
}
