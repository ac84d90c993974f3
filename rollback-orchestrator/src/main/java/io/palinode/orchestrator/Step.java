package io.palinode.orchestrator;

import io.palinode.orchestrator.state.MachineState;
import java.util.List;

/** The state after an event, and the orders to carry out. */
public record Step(MachineState next, List<Command> commands) {
  public Step {
    commands = List.copyOf(commands);
  }
}
