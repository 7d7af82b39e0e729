// SPDX-License-Identifier: Apache-2.0

import LanyardTesting
import Testing

/// A trait that runs each test of a suite with phones on the adapter's port and then, if this
/// package builds a module CoreBluetooth, with phones on that module.
struct EachSystem: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        // On Apple's platforms the module of this name is the framework, which has no virtual
        // radio.
        #if os(Linux) && canImport(CoreBluetooth)
            try await TestPhone.usingCoreBluetooth(function)
        #endif
    }
}

extension Trait where Self == EachSystem {
    static var eachSystem: Self { Self() }
}
