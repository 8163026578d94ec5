//! Places of a file where a mutant can be chosen at run time, found on the syntax tree.
//!
//! | mutant | place |
//! |---|---|
//! | the value of a function | behind the opening brace |
//! | an operator, a field of a struct, a guard | the expression |
//! | a deleted arm | between its pattern and its arrow |

use std::collections::BTreeMap;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A place by which a mutant is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Statements may be put here, before all others of the function.
    Body(usize),
    /// Expression, which may stand in parentheses.
    Expression(Range<usize>),
    /// A guard may be put here.
    Arm(usize),
}

/// Places of a file, by the span that cargo-mutants replaces.
#[derive(Debug, Default)]
pub(crate) struct Places {
    by_span: BTreeMap<(usize, usize), Place>,
    constant_functions: Vec<Range<usize>>,
}

impl Places {
    /// Reads a file.
    pub(crate) fn of(source: &str) -> Result<Self, String> {
        let file = syn::parse_file(source).map_err(|cause| cause.to_string())?;
        let mut places = Self::default();
        places.visit_file(&file);
        Ok(places)
    }

    /// Returns the place of the mutant that replaces `span`.
    pub(crate) fn get(&self, span: &Range<usize>) -> Option<&Place> {
        self.by_span.get(&(span.start, span.end))
    }

    /// Returns true if the compiler may evaluate the code at `span` too, where no mutant takes effect.
    pub(crate) fn may_be_constant(&self, span: &Range<usize>) -> bool {
        self.constant_functions
            .iter()
            .any(|function| function.start <= span.start && span.end <= function.end)
    }

    fn insert(&mut self, span: Range<usize>, place: Place) {
        self.by_span.insert((span.start, span.end), place);
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if let [first, ..] = &*block.stmts {
            let last = block.stmts.last().unwrap_or(first);
            let body = first.span().byte_range().start..last.span().byte_range().end;
            self.insert(body, Place::Body(block.brace_token.span.open().byte_range().end));
        }
        if signature.constness.is_some() {
            self.constant_functions.push(block.span().byte_range());
        }
    }
}

impl<'ast> Visit<'ast> for Places {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        // `let` stands in no parentheses.
        if !binds(&binary.left) && !binds(&binary.right) {
            self.insert(binary.op.span().byte_range(), Place::Expression(binary.span().byte_range()));
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'ast syn::ExprUnary) {
        self.insert(unary.op.span().byte_range(), Place::Expression(unary.span().byte_range()));
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_struct(&mut self, literal: &'ast syn::ExprStruct) {
        for pair in literal.fields.pairs() {
            let field = pair.value().span().byte_range();
            let end = pair.punct().map_or(field.end, |comma| comma.span().byte_range().end);
            self.insert(field.start..end, Place::Expression(literal.span().byte_range()));
        }
        visit::visit_expr_struct(self, literal);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        match &arm.guard {
            Some((_, guard)) => {
                let span = guard.span().byte_range();
                self.insert(span.clone(), Place::Expression(span));
            }
            None => self.insert(arm.span().byte_range(), Place::Arm(arm.pat.span().byte_range().end)),
        }
        visit::visit_arm(self, arm);
    }
}

/// Returns true if an operand of a chain of `&&` is a `let`.
fn binds(operand: &syn::Expr) -> bool {
    match operand {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}
