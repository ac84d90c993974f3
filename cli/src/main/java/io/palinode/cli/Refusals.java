package io.palinode.cli;

import io.palinode.benchmarks.hazelcast.WindowLogFullException;
import io.palinode.benchmarks.stock.StockStartException;
import io.palinode.detection.file.BadTraceException;
import io.palinode.launcher.StartRefusedException;
import io.palinode.orchestrator.rest.UnavailableException;
import io.palinode.orchestrator.rest.access.UsersException;
import io.palinode.predicate.text.PredicateException;
import io.palinode.store.order.ClockBehindException;
import io.palinode.terminal.Outage;
import io.palinode.terminal.Refusal;
import io.palinode.tls.TlsException;
import io.palinode.voldemort.bdb.DataFolderException;
import io.palinode.voldemort.bdb.DiskFullException;
import io.palinode.voldemort.client.session.StoreException;
import io.palinode.voldemort.cluster.ClusterFormatException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine.ExitCode;

/** Failures that the user can fix, each with a sentence about how. */
public final class Refusals {
  private Refusals() {}

  public static boolean isRefusal(Throwable failure) {
    return failure instanceof Refusal
        || failure instanceof PredicateException
        || failure instanceof BadTraceException
        || failure instanceof ClusterFormatException
        || failure instanceof ClockBehindException
        || failure instanceof DataFolderException
        || failure instanceof DiskFullException
        || failure instanceof StoreException
        || failure instanceof StockStartException
        || failure instanceof StartRefusedException
        || failure instanceof TlsException
        || failure instanceof UsersException
        || failure instanceof WindowLogFullException
        || failure instanceof io.palinode.voldemort.server.ListenException
        || failure instanceof io.palinode.orchestrator.rest.ListenException
        || failure instanceof CharacterCodingException
        || failure instanceof FileSystemException
        || isFolder(failure);
  }

  /** Java reports with this text alone that what is read is a folder. */
  private static boolean isFolder(Throwable failure) {
    return failure instanceof IOException && "Is a directory".equals(failure.getMessage());
  }

  /** The arguments are right, and something that is needed does not answer. */
  static boolean isOutage(Throwable failure) {
    return failure instanceof Outage || failure instanceof UnavailableException;
  }

  /** 2 when another command, or other arguments, would go well; 1 when this one can later. */
  static int exitStatus(Throwable failure) {
    boolean mayGoWellLater = failure instanceof DiskFullException;
    return isRefusal(failure) && !mayGoWellLater ? ExitCode.USAGE : ExitCode.SOFTWARE;
  }

  public static String sentence(Throwable failure, boolean known) {
    if (failure instanceof NoSuchFileException missing) {
      return "no such file: " + missing.getFile();
    }
    if (failure instanceof AccessDeniedException denied) {
      return "permission denied: " + denied.getFile();
    }
    if (isFolder(failure)) {
      return "a folder is named where a file is read: name its files";
    }
    if (failure instanceof CharacterCodingException) {
      return "the file must be UTF-8 text";
    }
    if (failure instanceof Error) {
      return "internal error: " + failure;
    }
    String message =
        failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    return known ? message : "internal error: " + message;
  }
}
