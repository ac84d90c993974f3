package io.palinode.voldemort.request;

import io.palinode.voldemort.access.Right;
import io.palinode.voldemort.access.StoreUser;
import io.palinode.voldemort.protocol.Pb0.PastRequest;
import io.palinode.voldemort.protocol.Pb0.VoldemortRequest;
import io.palinode.voldemort.vp.Route;
import io.palinode.voldemort.vp.VpRequest;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which requests a user may send. Pure.
 *
 * <p>Each user may read the metadata of the cluster, write its own record in the client registry,
 * and ask for the reach of a node: a client needs these to connect, and they have no data.
 */
public final class ClientRights {
  private ClientRights() {}

  /** Why the user may not send the request, with the way out; null: it may. */
  public static @Nullable String refusal(StoreUser user, VoldemortRequest request) {
    String client = request.getPalinode().getClient();
    if (!user.isUnknown() && !user.owns(client)) {
      return "the client id '%s' is not of user '%s': name the client '%s' or '%s/…'"
          .formatted(client, user.name(), user.name(), user.name());
    }
    return refusal(user, needed(request), isOfAllStores(request) ? "" : request.getStore());
  }

  /** The same for a request of the native protocols, which name no client. */
  static @Nullable String refusal(StoreUser user, VpRequest request) {
    boolean isWrite = request instanceof VpRequest.Put || request instanceof VpRequest.Delete;
    return refusal(
        user,
        SystemStores.has(request.store())
            ? EnumSet.noneOf(Right.class)
            : isWrite ? writing(false, request.route()) : EnumSet.of(Right.READ),
        request.store());
  }

  /** A snapshot is of all stores. */
  private static boolean isOfAllStores(VoldemortRequest request) {
    return request.getPast().getQuestionCase() == PastRequest.QuestionCase.VERIFY;
  }

  private static @Nullable String refusal(StoreUser user, Set<Right> needed, String store) {
    if (user.isUnknown()) {
      return "the certificate of this client is no user's of the stores: 'palinode user add --store'"
          + " adds one";
    }
    for (Right right : needed) {
      if (!user.may(right, store)) {
        String label = right.label();
        return "user '%s' may not send this request: its line of the users file needs the right '%s'%s"
            .formatted(
                user.name(), label, store.isEmpty() ? "" : " or '" + label + ":" + store + "'");
      }
    }
    return null;
  }

  private static Set<Right> needed(VoldemortRequest request) {
    boolean isOfTheSystem = SystemStores.has(request.getStore());
    return switch (request.getType()) {
      case GET, GET_VERSION ->
          isOfTheSystem
              ? EnumSet.noneOf(Right.class)
              : EnumSet.of(PastRequests.isOfThePast(request.getGet()) ? Right.PAST : Right.READ);
      case GET_ALL -> isOfTheSystem ? EnumSet.noneOf(Right.class) : EnumSet.of(Right.READ);
      case PUT, DELETE ->
          isOfTheSystem
              ? EnumSet.noneOf(Right.class)
              : writing(request.hasPalinode(), route(request));
      case PAST -> past(request.getPast());
    };
  }

  /**
   * @param isOurs by Palinode's client, which writes the copies itself and says so in its context:
   *     to refuse its first write, too, leaves no version without copies
   */
  private static Set<Right> writing(boolean isOurs, @Nullable Route route) {
    return isOurs || route == Route.IGNORE_CHECKS
        ? EnumSet.of(Right.WRITE, Right.REPLICA)
        : EnumSet.of(Right.WRITE);
  }

  private static Set<Right> past(PastRequest question) {
    return switch (question.getQuestionCase()) {
      case REACH, QUESTION_NOT_SET -> EnumSet.noneOf(Right.class);
      case DIFFERENCE, VERIFY, DISCARDED, HISTORY -> EnumSet.of(Right.PAST);
    };
  }

  private static @Nullable Route route(VoldemortRequest request) {
    return request.hasRequestRouteType()
        ? Route.of(request.getRequestRouteType())
        : Route.of(request.getShouldRoute());
  }
}
