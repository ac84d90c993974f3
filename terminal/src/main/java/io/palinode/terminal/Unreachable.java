package io.palinode.terminal;

import java.io.Serial;

/** No cluster answers at the address of the API. The same request may succeed later. */
public final class Unreachable extends Refusal {
  @Serial private static final long serialVersionUID = 1L;

  public Unreachable(String message, Throwable cause) {
    super(message, cause);
  }
}
