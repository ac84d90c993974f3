package io.palinode.agent.advice.client;

import io.palinode.agent.boot.Hooks;
import java.util.List;
import net.bytebuddy.asm.Advice;

/** {@code ReadRepairer.getRepairs}: the reading thread sends the repairs in the returned order. */
public final class RepairsFound {
  private RepairsFound() {}

  @Advice.OnMethodExit
  static void exit(@Advice.Argument(0) List<?> values, @Advice.Return List<?> repairs) {
    Hooks.repairs(values, repairs);
  }
}
