// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A test of a reader or a core, with the name that `--target` selects.
struct FuzzTarget: Sendable {
    /// Runs the test with one input, and traps if an invariant does not hold.
    typealias Run = @Sendable ([UInt8]) -> Void

    let name: String
    let run: Run

    init(_ name: String, _ run: @escaping Run) {
        self.name = name
        self.run = run
    }

    static let all: [FuzzTarget] =
        radioTargets + linkTargets + fileTargets + messageTargets + busTargets + gatewayTargets
        + fleetTargets
}

/// Stops the process if an invariant does not hold, so that libFuzzer stores the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    guard condition else { fatalError(message()) }
}

/// Selects the target. libFuzzer contains the `main` of the process, and calls this first. It
/// ignores arguments that start with two dashes.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzing(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    let prefix = "--target="
    for index in 0..<Int(count.pointee) {
        guard let text = arguments.pointee[index].map({ String(cString: $0) }) else { continue }
        if text == "--list" {
            for target in FuzzTarget.all { print(target.name) }
            exit(0)
        }
        guard text.hasPrefix(prefix) else { continue }
        selected = FuzzTarget.all.first { $0.name == text.dropFirst(prefix.count) }
    }
    guard selected == nil else { return 0 }
    FileHandle.standardError.write(Data("Give --target=NAME; --list prints the names.\n".utf8))
    exit(64)
}

/// Runs the selected target with one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    selected?.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

// Written once, before the only thread of libFuzzer runs the first input.
nonisolated(unsafe) private var selected: FuzzTarget?
