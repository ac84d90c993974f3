package io.palinode.orchestrator;

import io.palinode.orchestrator.state.MachineState;
import java.util.List;

/** The state after an event, and what to do. */
public record Step(MachineState next, List<Command> commands) {
  public Step {
    commands = List.copyOf(commands);
  }
}
