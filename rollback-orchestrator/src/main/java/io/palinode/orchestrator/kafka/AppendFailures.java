package io.palinode.orchestrator.kafka;

import io.palinode.orchestrator.state.AppendFailure;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;

/** What a producer's exception means for the record, and in words. */
final class AppendFailures {
  private AppendFailures() {}

  /** Each exception that is not listed is taken for one after which a later try may succeed. */
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

  /** Without the package of the exception. */
  static String reason(Throwable failure) {
    return failure.getClass().getSimpleName() + ": " + failure.getMessage();
  }
}
