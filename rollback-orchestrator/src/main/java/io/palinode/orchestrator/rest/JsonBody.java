package io.palinode.orchestrator.rest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import io.javalin.http.BadRequestResponse;

/** Reads the bodies of requests. */
final class JsonBody {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private JsonBody() {}

  /**
   * The object of a body; without fields if the body is blank. Throws {@link BadRequestResponse}.
   *
   * @param what the object, with its article
   */
  static <T> T read(String body, Class<T> type, String what) {
    try {
      T read = JSON.readValue(body.isBlank() ? "{}" : body, type);
      if (read == null) {
        throw new BadRequestResponse(what + " must be a JSON object: null");
      }
      return read;
    } catch (UnrecognizedPropertyException e) {
      throw new BadRequestResponse(
          "%s has no '%s', only %s".formatted(what, e.getPropertyName(), e.getKnownPropertyIds()));
    } catch (JsonProcessingException e) {
      throw new BadRequestResponse(what + " must be JSON: " + e.getOriginalMessage());
    }
  }
}
