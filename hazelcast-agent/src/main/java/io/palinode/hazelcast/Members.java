package io.palinode.hazelcast;

import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.cluster.impl.JoinRequest;
import com.hazelcast.internal.nio.Packet;
import com.hazelcast.internal.partition.MigrationEndpoint;
import com.hazelcast.internal.partition.PartitionMigrationEvent;
import com.hazelcast.map.impl.MapServiceContext;
import com.hazelcast.map.impl.operation.MapOperation;
import com.hazelcast.map.impl.recordstore.MutationObserver;
import com.hazelcast.map.impl.recordstore.RecordStore;
import com.hazelcast.spi.impl.operationservice.BackupOperation;
import io.micrometer.core.instrument.MeterRegistry;
import io.palinode.hazelcast.boot.Listener;
import io.palinode.hazelcast.member.MemberConfig;
import io.palinode.hazelcast.member.PartitionObserver;
import io.palinode.hazelcast.member.WatchedMember;
import io.palinode.store.engine.StorageException;
import io.palinode.store.hosted.DirectMemory;
import io.palinode.store.hosted.HostedConfig.Unjoined;
import io.palinode.store.hosted.StartRefusedException;
import io.palinode.store.order.ClockBehindException;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The members of this process, mostly one. Thread-safe. */
final class Members implements Listener {
  private static final Logger log = LoggerFactory.getLogger(Members.class);

  private final MemberConfig config;
  private final MeterRegistry registry;

  /** By their node engines. */
  private final Map<Object, WatchedMember> members = new ConcurrentHashMap<>();

  /** By their serialization services. */
  private final Map<Object, WatchedMember> senders = new ConcurrentHashMap<>();

  private volatile @Nullable String unwoven;

  Members(MemberConfig config, MeterRegistry registry) {
    this.config = config;
    this.registry = registry;
  }

  /** {@inheritDoc} Opens its node. */
  @Override
  public void starting(Object node) {
    Node hazelcast = (Node) node;
    Thread thread = Thread.currentThread();
    ClassLoader ofTheMember = thread.getContextClassLoader();
    // Kafka's client loads its classes with the thread's context class loader.
    thread.setContextClassLoader(Members.class.getClassLoader());
    try {
      if (unwoven != null) {
        throw new StartRefusedException("a class could not be woven: " + unwoven);
      }
      DirectMemory.requireRoom(
          members.size() + 1, config.hosted().node().windowLog().bytesMax(), DirectMemory.max());
      WatchedMember member = new WatchedMember(config, hazelcast, registry);
      members.put(hazelcast.getNodeEngine(), member);
      senders.put(hazelcast.getSerializationService(), member);
    } catch (IllegalArgumentException
        | StartRefusedException
        | StorageException
        | ClockBehindException e) {
      throw refusal(String.valueOf(e.getMessage()), e);
    } finally {
      thread.setContextClassLoader(ofTheMember);
    }
  }

  private static IllegalStateException refusal(String why, @Nullable Throwable cause) {
    log.error("agent state=REFUSED, the member must not start: {}", why);
    return new IllegalStateException("hazelcast-agent: " + why, cause);
  }

  /** {@inheritDoc} Waits for the detector up to {@code joinTimeout}. */
  @Override
  public void started(Object node, @Nullable Throwable failure) {
    Node hazelcast = (Node) node;
    WatchedMember member = members.get(hazelcast.getNodeEngine());
    if (member == null) {
      return;
    }
    if (failure != null) {
      end(hazelcast, member);
      return;
    }
    var unused =
        hazelcast
            .hazelcastInstance
            .getLifecycleService()
            .addLifecycleListener(event -> changed(event, hazelcast, member));
    String why = member.awaitJoined();
    if (why != null && config.hosted().joining().unjoined() == Unjoined.STOP) {
      end(hazelcast, member);
      throw refusal(why, null);
    }
    if (why != null) {
      log.error("agent state=UNWATCHED, the member serves unwatched: {}", why);
    }
  }

  private void changed(LifecycleEvent event, Node hazelcast, WatchedMember member) {
    LifecycleState state = event.getState();
    if (state == LifecycleState.SHUTDOWN) {
      end(hazelcast, member);
    } else if (state == LifecycleState.MERGING || state == LifecycleState.MERGED) {
      // Members of both halves have owned each partition, and stores replace each other.
      member.blow("two halves of the cluster merge after a split");
    }
  }

  private void end(Node hazelcast, WatchedMember member) {
    try {
      member.close();
    } catch (RuntimeException e) {
      log.error("agent state=CLOSE_FAILED", e);
    } finally {
      members.remove(hazelcast.getNodeEngine(), member);
      senders.remove(hazelcast.getSerializationService(), member);
    }
  }

  /** {@inheritDoc} Backups follow their owners, which are refused. */
  @Override
  public void operationBegins(Object operation) {
    MapOperation begins = (MapOperation) operation;
    if (!(begins instanceof BackupOperation)) {
      WatchedMember member = members.get(begins.getNodeEngine());
      if (member != null) {
        member.require(begins);
      }
    }
  }

  /** {@inheritDoc} A promotion is not refused: the owner before has left. */
  @Override
  public void migrationBegins(Object context, Object event) {
    PartitionMigrationEvent begins = (PartitionMigrationEvent) event;
    WatchedMember member = members.get(((MapServiceContext) context).getNodeEngine());
    boolean isOfBackup = begins.getNewReplicaIndex() > 0;
    if (member != null
        && (isOfBackup || begins.getMigrationEndpoint() == MigrationEndpoint.SOURCE)) {
      member.requireStill(begins.getPartitionId());
    }
  }

  /** {@inheritDoc} A member without the agent is refused: its changes would not be watched. */
  @Override
  public void joinRequested(Object node, Object request) {
    WatchedMember member = members.get(((Node) node).getNodeEngine());
    if (member != null && request instanceof JoinRequest join) {
      member.require(join);
    }
  }

  @Override
  public Object packetMade(Object serialization, Object packet) {
    WatchedMember member = senders.get(serialization);
    if (member == null) {
      return packet;
    }
    Packet made = (Packet) packet;
    byte[] stamped = member.stamped(made.toByteArray());
    return new Packet(stamped, made.getPartitionId()).resetFlagsTo(made.getFlags());
  }

  @Override
  public void packetReceived(Object engine, Object packet) {
    WatchedMember member = members.get(engine);
    if (member != null) {
      member.received(((Packet) packet).toByteArray());
    }
  }

  @Override
  public void storeCreated(Object store, Object observers) {
    RecordStore<?> records = (RecordStore<?>) store;
    WatchedMember member =
        members.get(records.getMapContainer().getMapServiceContext().getNodeEngine());
    if (member != null && member.watches(records.getName())) {
      member.guarded(node -> add(member, records, observers));
    }
  }

  private static void add(WatchedMember member, RecordStore<?> store, Object observers) {
    PartitionObserver observer = member.observer(store);
    if (observer != null) {
      try {
        // Their class is not public.
        Method add = observers.getClass().getMethod("add", MutationObserver.class);
        add.setAccessible(true);
        Object unused = add.invoke(observers, observer);
      } catch (ReflectiveOperationException | RuntimeException e) {
        member.blow("a map cannot be observed: " + e);
      }
    }
  }

  void notWoven(String type, Throwable failure) {
    log.error("class={} state=NOT_WOVEN", type, failure);
    unwoven = type;
    members.values().forEach(member -> member.blow("class " + type + " could not be woven"));
  }

  /** In the order of their nodes. */
  List<WatchedMember> all() {
    return members.values().stream()
        .sorted(Comparator.comparingInt(WatchedMember::number))
        .toList();
  }
}
