package org.sordino.torch;

import java.util.Iterator;
import java.util.function.Supplier;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.NoGradGuard;

/**
 * Where native memory begins and ends. A tensor belongs to the innermost scope of the thread that
 * made it and is gone when that ends; what is to survive leaves as a Java array.
 */
@SuppressWarnings("try") // the resources are never named: being open is all they do
final class Scopes {

  private Scopes() {}

  /** Frees every tensor that is made on the way. */
  static void run(Runnable body) {
    try (PointerScope scope = new PointerScope()) {
      body.run();
    }
  }

  /** The same, with a result that is no tensor. */
  static <T> T get(Supplier<T> body) {
    try (PointerScope scope = new PointerScope()) {
      return body.get();
    }
  }

  /** Lets a tensor of the innermost scope live as long as the scope around that. */
  static <T extends Pointer> T keep(T pointer) {
    Iterator<PointerScope> scopes = PointerScope.getScopeIterator();
    scopes.next();
    scopes.next().attach(pointer);
    return pointer;
  }

  /** Computes without a history for autograd. */
  static void withoutGradients(Runnable body) {
    try (NoGradGuard guard = new NoGradGuard()) {
      body.run();
    }
  }
}
