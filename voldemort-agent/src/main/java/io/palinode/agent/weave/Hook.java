package io.palinode.agent.weave;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isBridge;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static net.bytebuddy.matcher.ElementMatchers.takesArgument;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.util.List;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.matcher.ElementMatcher;

/**
 * A method of Voldemort, with the advice that is woven into it.
 *
 * @param parameters the names of the erased types
 */
record Hook(String type, String method, List<String> parameters, Class<?> advice) {
  static final String CONSTRUCTOR = "<init>";

  ElementMatcher.Junction<MethodDescription> matcher() {
    ElementMatcher.Junction<MethodDescription> called =
        method.equals(CONSTRUCTOR) ? isConstructor() : named(method);
    ElementMatcher.Junction<MethodDescription> matcher =
        not(isBridge())
            .<MethodDescription>and(not(isAbstract()))
            .and(called)
            .and(takesArguments(parameters.size()));
    for (int i = 0; i < parameters.size(); i++) {
      matcher = matcher.and(takesArgument(i, named(parameters.get(i))));
    }
    return matcher;
  }

  @Override
  public String toString() {
    return type + "." + method + "(" + String.join(", ", parameters) + ")";
  }
}
