package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.state.AppendFailure;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;

/** Classifies a producer's exception, and describes it. */
final class AppendFailures {
  private AppendFailures() {}

  /** Unlisted exceptions count as transient. */
  static AppendFailure of(Throwable failure) {
    if (failure instanceof RecordTooLargeException
        || failure instanceof RecordBatchTooLargeException
        || failure instanceof InvalidRecordException
        || failure instanceof SerializationException) {
      return AppendFailure.UNWRITABLE;
    }
    boolean isForbidden =
        failure instanceof AuthorizationException || failure instanceof AuthenticationException;
    return isForbidden || failure.getCause() instanceof AuthorizationException
        ? AppendFailure.REFUSED
        : AppendFailure.TRANSIENT;
  }

  /** The simple class name and the message. */
  static String reason(Throwable failure) {
    return failure.getClass().getSimpleName() + ": " + failure.getMessage();
  }
}
