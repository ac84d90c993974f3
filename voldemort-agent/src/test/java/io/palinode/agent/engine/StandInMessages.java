package io.palinode.agent.engine;

import io.palinode.agent.stock.StockTypes;
import io.palinode.voldemort.StoreNode;
import io.palinode.voldemort.protocol.Pb0;

/** Messages of pb0 in place of the server's own. */
public final class StandInMessages {
  private StandInMessages() {}

  /** An error is a client's request; a clock is a hint, and a version has one. */
  public static PiggyBack piggyBack(StoreNode node, StockTypes types) {
    PiggyBack.Messages messages =
        new PiggyBack.Messages(
            Pb0.Error.Builder.class,
            Pb0.Error.class,
            Pb0.VectorClock.class,
            Pb0.Versioned.class,
            Pb0.Versioned.VERSION_FIELD_NUMBER,
            types.method(Pb0.Versioned.class, "hasVersion", boolean.class));
    return new PiggyBack(node, types, messages);
  }
}
