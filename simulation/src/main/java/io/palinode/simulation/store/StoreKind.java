package io.palinode.simulation.store;

import io.palinode.store.node.NodeSettings;
import java.util.Arrays;
import java.util.Locale;

/** The stores that can be simulated. */
public enum StoreKind {
  VOLDEMORT {
    @Override
    public SimulatedStore of(Replication replication, NodeSettings settings) {
      return new VoldemortStore(replication, settings);
    }
  },
  LAST_WRITE_WINS {
    @Override
    public SimulatedStore of(Replication replication, NodeSettings settings) {
      return new LastWriteWinsStore(replication, settings);
    }
  };

  /** Reads a name such as {@code last-write-wins}. */
  public static StoreKind parse(String text) {
    for (StoreKind kind : values()) {
      if (kind.text().equals(text)) {
        return kind;
      }
    }
    throw new IllegalArgumentException(
        "store must be one of "
            + Arrays.stream(values()).map(StoreKind::text).toList()
            + ": '"
            + text
            + "'");
  }

  /** As {@link #parse} reads it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public abstract SimulatedStore of(Replication replication, NodeSettings settings);
}
