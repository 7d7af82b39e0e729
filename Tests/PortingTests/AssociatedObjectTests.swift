// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PortingShims

/// The keys, which are compared by address.
// Unsafe for the compiler only: the pointers do not change, and no code reads their memory.
private enum Key {
    static nonisolated(unsafe) let first = UnsafeRawPointer(
        UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    )
    static nonisolated(unsafe) let second = UnsafeRawPointer(
        UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    )
}

@Suite("Associated objects", .serialized)
struct AssociatedObjectTests {
    @Test("A value belongs to an object and a key, until it is removed")
    func values() {
        let (one, other) = (NSObject(), NSObject())
        objc_setAssociatedObject(one, Key.first, 1, .OBJC_ASSOCIATION_RETAIN)
        objc_setAssociatedObject(one, Key.second, "two", .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        #expect(objc_getAssociatedObject(one, Key.first) as? Int == 1)
        #expect(objc_getAssociatedObject(one, Key.second) as? String == "two")
        #expect(objc_getAssociatedObject(other, Key.first) == nil)
        objc_setAssociatedObject(one, Key.first, nil, .OBJC_ASSOCIATION_RETAIN)
        #expect(objc_getAssociatedObject(one, Key.first) == nil)
        objc_removeAssociatedObjects(one)
        #expect(objc_getAssociatedObject(one, Key.second) == nil)
    }

    @Test("The policy decides whether the value is retained")
    func policies() {
        let owner = NSObject()
        var value: NSObject? = NSObject()
        weak let observed = value
        objc_setAssociatedObject(owner, Key.first, value, .OBJC_ASSOCIATION_ASSIGN)
        objc_setAssociatedObject(owner, Key.second, value, .OBJC_ASSOCIATION_RETAIN)
        value = nil
        #expect(observed != nil)
        #expect(objc_getAssociatedObject(owner, Key.first) as? NSObject === observed)
        objc_setAssociatedObject(owner, Key.second, nil, .OBJC_ASSOCIATION_RETAIN)
        #expect(observed == nil)
        #expect(objc_getAssociatedObject(owner, Key.first) == nil)

        let text = NSMutableString(string: "a")
        objc_setAssociatedObject(owner, Key.first, text, .OBJC_ASSOCIATION_COPY)
        text.append("b")
        #expect((objc_getAssociatedObject(owner, Key.first) as? NSString)?.length == 1)
    }

    @Test("Values of deallocated objects are released, and the table is bounded")
    func sweep() {
        var value: NSObject? = NSObject()
        weak let observed = value
        do {
            let owner = NSObject()
            objc_setAssociatedObject(owner, Key.first, value, .OBJC_ASSOCIATION_RETAIN)
        }
        value = nil
        for number in 0..<10_000 {
            objc_setAssociatedObject(NSObject(), Key.first, number, .OBJC_ASSOCIATION_RETAIN)
        }
        #expect(observed == nil)
        #expect(associatedObjectCount <= 128)
    }

    @Test("An object at the address of a deallocated object does not get its values")
    func reusedAddress() {
        for _ in 0..<100 {
            let owner = NSObject()
            #expect(objc_getAssociatedObject(owner, Key.second) == nil)
            objc_setAssociatedObject(owner, Key.second, 1, .OBJC_ASSOCIATION_RETAIN)
        }
    }
}
