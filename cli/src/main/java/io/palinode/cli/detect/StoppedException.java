package io.palinode.cli.detect;

import java.io.Serial;

/** The user has stopped the run. */
final class StoppedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;
}
